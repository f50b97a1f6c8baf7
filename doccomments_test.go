package bellcord_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// The test covers all packages, internal ones too. revive, in .golangci.yml, checks less: it accepts
// common methods such as Error and constants without a comment.
func TestDocComments_ExportedIdentifiers_HaveOneThatBeginsWithTheName(t *testing.T) {
	t.Parallel()
	checked := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "node_modules") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			checked++
			for _, missing := range undocumented(d) {
				t.Errorf("%s: %s", files.Position(d.Pos()), missing)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 5000 {
		t.Errorf("only %d declarations were found", checked)
	}
}

// undocumented returns a message for each exported identifier of a declaration without a doc comment
// in Go's form.
func undocumented(d ast.Decl) []string {
	var all []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && receiverIsExported(d) {
			all = append(all, problem(d.Name.Name, true, d.Doc)...)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					all = append(all, problem(s.Name.Name, len(d.Specs) == 1, s.Doc, d.Doc)...)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() {
					all = append(all, problem(s.Names[0].Name, false, s.Doc, s.Comment, d.Doc)...)
				}
			}
		}
	}
	return all
}

// problem describes what is wrong with the first comment that exists. The comment of a group need not
// begin with a name.
func problem(name string, mustBegin bool, comments ...*ast.CommentGroup) []string {
	for _, c := range comments {
		switch {
		case c == nil:
			continue
		case mustBegin && !strings.HasPrefix(c.Text(), name+" "):
			return []string{fmt.Sprintf("the doc comment of %s does not begin with its name", name)}
		}
		return nil
	}
	return []string{name + " has no doc comment"}
}

// receiverIsExported reports whether a declaration is a function, or a method of an exported type.
func receiverIsExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	of := d.Recv.List[0].Type
	for {
		switch e := of.(type) {
		case *ast.StarExpr:
			of = e.X
		case *ast.IndexExpr:
			of = e.X
		case *ast.IndexListExpr:
			of = e.X
		case *ast.Ident:
			return e.IsExported()
		default:
			return true
		}
	}
}
