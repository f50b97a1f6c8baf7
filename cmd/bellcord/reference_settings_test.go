//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// structs are the structs of the configuration package by name, with their doc comments.
type structs map[string]struct {
	doc    string
	fields []*ast.Field
}

func configStructs(t *testing.T) structs {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "internal", "config", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := structs{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				continue
			}
			spec := decl.Specs[0].(*ast.TypeSpec)
			if s, ok := spec.Type.(*ast.StructType); ok {
				all[spec.Name.Name] = struct {
					doc    string
					fields []*ast.Field
				}{oneLine(decl.Doc.Text()), s.Fields.List}
			}
		}
	}
	return all
}

// settingsReference returns a table for each section of the file, from the structs that it is read
// into.
func settingsReference(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	all := configStructs(t)
	var section func(name, title string)
	section = func(name, title string) {
		s := all[name]
		if title != "" {
			fmt.Fprintf(&b, "\n## `%s`\n\n%s\n", title, s.doc)
		}
		fmt.Fprintf(&b, "\n| setting | type | description |\n|---|---|---|\n")
		type below struct{ name, title string }
		var later []below
		for _, f := range s.fields {
			if f.Tag == nil {
				continue
			}
			key := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("toml")
			if key == "-" { // it is set by a flag
				continue
			}
			kind, of, sub := kindOf(f.Type, key, strings.Trim(title, "[]"))
			if sub != "" && all[of].fields != nil {
				later = append(later, below{of, sub})
				kind = "section"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key, kind, strings.ReplaceAll(oneLine(f.Comment.Text()+" "+f.Doc.Text()), "|", "\\|"))
		}
		for _, next := range later {
			section(next.name, next.title)
		}
	}
	section("Config", "")
	return b.String()
}

// kindOf returns the type of a setting as the reference shows it. For a section it also returns the
// struct and the section's heading.
func kindOf(expr ast.Expr, key, within string) (kind, of, head string) {
	if within != "" {
		key = within + "." + key
	}
	switch e := expr.(type) {
	case *ast.Ident:
		switch e.Name {
		case "string":
			return "string", "", ""
		case "Duration":
			return "duration", "", ""
		case "bool":
			return "boolean", "", ""
		case "int", "int64", "float64":
			return "number", "", ""
		}
		return "section", e.Name, "[" + key + "]"
	case *ast.StarExpr:
		return kindOf(e.X, key, "")
	case *ast.ArrayType:
		kind, of, _ := kindOf(e.Elt, key, "")
		return "list of " + kind + "s", of, "[[" + key + "]]"
	case *ast.MapType:
		kind, of, _ := kindOf(e.Value, key, "")
		return "table of " + kind + "s", of, "[" + key + ".NAME]"
	}
	return "", "", ""
}
