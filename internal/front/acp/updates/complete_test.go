package updates_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The encoder silently drops a body without a case. Bodies that are dropped on
// purpose have an explicit case.
func TestEncoder_EveryBody_HasACase(t *testing.T) {
	t.Parallel()
	cases := encoderCases(t)
	bodies := bodyTypes(t)
	if len(bodies) < 26 {
		t.Fatalf("only %d bodies found: %v", len(bodies), bodies)
	}
	for _, body := range bodies {
		if !slices.Contains(cases, body) {
			t.Errorf("Encoder.Event has no case for bellcord.%s", body)
		}
	}
}

// bodyTypes returns the types of package bellcord that have a method Kind.
func bodyTypes(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../../../../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range parsed(t, file).Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv != nil && f.Name.Name == "Kind" {
				names = append(names, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	return names
}

// encoderCases returns the types in the type switch of Encoder.Event.
func encoderCases(t *testing.T) (names []string) {
	t.Helper()
	for _, d := range parsed(t, "updates.go").Decls {
		if f, is := d.(*ast.FuncDecl); !is || f.Name.Name != "Event" {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if c, is := n.(*ast.CaseClause); is {
				for _, of := range c.List {
					if name, is := of.(*ast.SelectorExpr); is {
						names = append(names, name.Sel.Name)
					}
				}
			}
			return true
		})
	}
	return names
}

func parsed(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
