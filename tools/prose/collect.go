package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// kind is a kind of text.
type kind string

const (
	comment    kind = "comment"
	message    kind = "error"
	logMessage kind = "log message"
	// joinedMessage is an error from several literals. It is a kind apart, so that
	// draw finds the same errors for a seed as before there were log messages.
	joinedMessage kind = "joined error"
	paragraph     kind = "doc paragraph"
	testName      kind = "test name"
)

// text is a text for people, and its position.
type text struct {
	kind kind
	at   string // file and line
	name string // the declaration or heading that it belongs to
	text string
}

// collect reads every Go and Markdown file below dir.
func collect(dir string) ([]text, error) {
	var all []text
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" || len(entry.Name()) > 1 && entry.Name()[0] == '.'):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go"):
			found, err := fromGo(path)
			all = append(all, found...)
			return err
		case strings.HasSuffix(path, ".md"):
			found, err := fromMarkdown(path)
			all = append(all, found...)
			return err
		}
		return nil
	})
	return all, err
}

func fromGo(path string) ([]text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	at := func(pos token.Pos) string { return path + ":" + strconv.Itoa(files.Position(pos).Line) }
	var all []text
	for _, block := range file.Comments {
		if words := block.Text(); strings.TrimSpace(words) != "" {
			all = append(all, text{comment, at(block.Pos()), "", words})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if strings.HasPrefix(n.Name.Name, "Test") && n.Recv == nil && strings.HasSuffix(path, "_test.go") {
				all = append(all, text{testName, at(n.Pos()), n.Name.Name, n.Name.Name})
			}
		case *ast.CallExpr:
			if words, joined := errorText(n); joined && words != "" {
				all = append(all, text{joinedMessage, at(n.Pos()), "", words})
			} else if words != "" {
				all = append(all, text{message, at(n.Pos()), "", words})
			}
			if words := logText(n); words != "" {
				all = append(all, text{logMessage, at(n.Pos()), "", words})
			}
		}
		return true
	})
	return all, nil
}

// errorText returns the text given to errors.New or fmt.Errorf, and whether it is
// joined from several literals.
func errorText(call *ast.CallExpr) (words string, joined bool) {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return "", false
	}
	pkg, ok := fun.X.(*ast.Ident)
	if !ok || pkg.Name+"."+fun.Sel.Name != "errors.New" && pkg.Name+"."+fun.Sel.Name != "fmt.Errorf" {
		return "", false
	}
	_, joined = call.Args[0].(*ast.BinaryExpr)
	return literalText(call.Args[0]), joined
}

// fromMarkdown returns paragraphs of prose: no headings, code, tables or lists
// of fewer than five words.
func fromMarkdown(path string) ([]text, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []text
	var lines []string
	first, fenced := 0, false
	end := func() {
		if words := strings.Join(lines, " "); len(strings.Fields(words)) >= 5 {
			all = append(all, text{paragraph, path + ":" + strconv.Itoa(first), "", words})
		}
		lines = nil
	}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			end()
			continue
		}
		if fenced || line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<!--") {
			end()
			continue
		}
		if len(lines) == 0 {
			first = i + 1
		}
		lines = append(lines, line)
	}
	end()
	return all, nil
}
