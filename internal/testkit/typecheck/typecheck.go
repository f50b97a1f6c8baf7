// Package typecheck parses and type-checks packages of this module, for tests
// that check the source code itself.
package typecheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Module is a set of packages with the export data of everything that they
// import.
type Module struct {
	// Paths contains the import paths that the patterns matched, without
	// commands.
	Paths []string

	fset    *token.FileSet
	listed  map[string]listed
	imports types.Importer
}

type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
	DepOnly                       bool
	Module                        struct{ Main bool }
}

// Package is a package with its syntax, without its tests.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Types *types.Package
	Info  *types.Info
}

// List lists the packages that the patterns match, such as "./...". The go
// command builds what is not in its cache. List fails the test on an error.
func List(t testing.TB, patterns ...string) *Module {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,GoFiles,DepOnly,Module"}
	list := exec.CommandContext(t.Context(), "go", append(args, patterns...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	m := &Module{fset: token.NewFileSet(), listed: map[string]listed{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module.Main {
			// The go command caches a test result until a file changes that the
			// test itself has read. It does not track what go list has read.
			if _, err := os.ReadDir(p.Dir); err != nil {
				t.Fatal(err)
			}
		}
		m.listed[p.ImportPath] = p
		if !p.DepOnly && p.Name != "main" {
			m.Paths = append(m.Paths, p.ImportPath)
		}
	}
	m.imports = importer.ForCompiler(m.fset, "gc", func(path string) (io.ReadCloser, error) {
		if m.listed[path].Export == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(m.listed[path].Export)
	})
	return m
}

// Import returns a package as importing code sees it.
func (m *Module) Import(path string) (*types.Package, error) { return m.imports.Import(path) }

// Load parses and type-checks one of the listed packages. It fails the test on
// an error.
func (m *Module) Load(t testing.TB, path string) Package {
	t.Helper()
	p, is := m.listed[path]
	if !is {
		t.Fatalf("%s was not listed", path)
	}
	out := Package{Fset: m.fset, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(m.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		out.Files = append(out.Files, f)
	}
	var err error
	if out.Types, err = (&types.Config{Importer: m.imports}).Check(path, m.fset, out.Files, out.Info); err != nil {
		t.Fatal(err)
	}
	return out
}

// Functions calls visit for each function and method with a body, with its name
// in the form "F" or "Type.Method". Function literals belong to the function
// that contains them.
func (p Package) Functions(visit func(name string, body *ast.BlockStmt)) {
	for _, file := range p.Files {
		for _, decl := range file.Decls {
			f, is := decl.(*ast.FuncDecl)
			if !is || f.Body == nil {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = receiver(f.Recv.List[0].Type) + "." + name
			}
			visit(name, f.Body)
		}
	}
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
