// Command shape prints the size of a checkout: lines of each package, the exported
// identifiers of the root package, and function names that occur more than ten
// times.
//
//	go run ./tools/shape [directory]
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	s := &shape{product: map[string]int{}, tests: map[string]int{}, names: map[string]int{}, interfaces: map[string]bool{"Error": true, "String": true}}
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return s.visit(root, path, d)
	}); err != nil {
		log.Fatal(err)
	}
	s.print()
}

// shape contains the counts.
type shape struct {
	product, tests map[string]int // lines, by directory
	names          map[string]int // of functions and methods in product code
	interfaces     map[string]bool
	exported       int
}

// visit counts a file. It ignores separate modules, generated code and examples.
func (s *shape) visit(root, path string, d fs.DirEntry) error {
	if d.IsDir() {
		_, err := os.Stat(filepath.Join(path, "go.mod"))
		if path != root && (err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "examples") {
			return filepath.SkipDir
		}
		return nil
	}
	if !strings.HasSuffix(path, ".go") {
		return nil
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	dir, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return err
	}
	lines := strings.Count(string(source), "\n")
	if strings.HasSuffix(path, "_test.go") {
		s.tests[dir] += lines
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments)
	if err != nil {
		return err
	}
	if ast.IsGenerated(file) {
		return nil
	}
	s.product[dir] += lines
	s.countNames(file, dir == ".")
	return nil
}

// countNames counts the names that a file declares.
func (s *shape) countNames(file *ast.File, inRoot bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if i, is := n.(*ast.InterfaceType); is {
			for _, m := range i.Methods.List {
				for _, name := range m.Names {
					s.interfaces[name.Name] = true
				}
			}
		}
		return true
	})
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.names[d.Name.Name]++
			if inRoot && d.Name.IsExported() && d.Recv == nil {
				s.exported++
			}
		case *ast.GenDecl:
			if inRoot {
				s.exported += exportedNames(d)
			}
		}
	}
}

func exportedNames(d *ast.GenDecl) int {
	n := 0
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				n++
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					n++
				}
			}
		}
	}
	return n
}

func (s *shape) print() {
	product, tests := 0, 0
	for _, dir := range slices.Sorted(maps.Keys(s.product)) {
		fmt.Printf("%-36s %6d %6d\n", dir, s.product[dir], s.tests[dir])
	}
	for _, n := range s.product {
		product += n
	}
	for _, n := range s.tests {
		tests += n
	}
	fmt.Printf("%-36s %6d %6d\n\n", "all", product, tests)
	fmt.Printf("exported identifiers of the root: %d\n\n", s.exported)
	often := slices.Collect(maps.Keys(s.names))
	often = slices.DeleteFunc(often, func(name string) bool {
		return s.names[name] <= 10 || name == "New" || name == "main" || name == "init" || s.interfaces[name]
	})
	slices.SortFunc(often, func(a, b string) int { return cmp.Or(s.names[b]-s.names[a], strings.Compare(a, b)) })
	fmt.Println("function names that occur more than 10 times, without methods of interfaces:")
	for _, name := range often {
		fmt.Printf("%4d %s\n", s.names[name], name)
	}
}
