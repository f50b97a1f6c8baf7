package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// printMessages prints the errors and log messages outside of tests, each after
// its file and line.
func printMessages(texts []text) {
	for _, t := range texts {
		if isShownMessage(t) {
			fmt.Printf("%s: %s\n", t.at, oneLine(t.text))
		}
	}
}

// writeMessages writes one text file into dir for each Go file with messages,
// below the same path. Each message has the line number that it has in the Go
// file, so that a linter's findings point to the source.
func writeMessages(texts []text, dir string) error {
	files := map[string][]string{}
	for _, t := range texts {
		if !isShownMessage(t) {
			continue
		}
		path, line, _ := strings.Cut(t.at, ":")
		number, err := strconv.Atoi(line)
		if err != nil {
			return fmt.Errorf("line of %s: %w", t.at, err)
		}
		for len(files[path]) < number {
			files[path] = append(files[path], "")
		}
		at := &files[path][number-1]
		*at = strings.TrimSpace(*at + " " + oneLine(t.text))
	}
	for path, lines := range files {
		path = filepath.Join(dir, path+".txt")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // copies of public texts
			return fmt.Errorf("write messages: %w", err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil { //nolint:gosec // copies of public texts
			return fmt.Errorf("write messages: %w", err)
		}
	}
	return nil
}

// isShownMessage reports whether t is an error or a log message of the program,
// and not of a test.
func isShownMessage(t text) bool {
	path, _, _ := strings.Cut(t.at, ":")
	return (t.kind == message || t.kind == joinedMessage || t.kind == logMessage) && !strings.HasSuffix(path, "_test.go")
}

func oneLine(words string) string { return strings.Join(strings.Fields(words), " ") }

// logCalls has the position of the message among the arguments of slog's functions
// and of the methods of slog.Logger.
var logCalls = map[string]int{
	"Debug": 0, "Info": 0, "Warn": 0, "Error": 0,
	"DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1,
	"Log": 2, "LogAttrs": 2,
}

// logText returns the message given to a function of slog or to a logger. Loggers
// are recognized by name: slog, log, logger, or a field or function of that name.
func logText(call *ast.CallExpr) string {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	position, ok := logCalls[fun.Sel.Name]
	if !ok || len(call.Args) <= position {
		return ""
	}
	switch strings.ToLower(lastName(fun.X)) {
	case "slog", "log", "logger":
		return literalText(call.Args[position])
	}
	return ""
}

// lastName returns the name of a variable, field, function or method.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.CallExpr:
		return lastName(x.Fun)
	}
	return ""
}

// literalText returns a string literal, or the literals of a concatenation.
func literalText(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind != token.STRING {
			return ""
		}
		words, _ := strconv.Unquote(x.Value) // the parser has checked it
		return words
	case *ast.BinaryExpr:
		return literalText(x.X) + literalText(x.Y)
	}
	return ""
}
