// Command shape prints the size of a checkout: lines, files and packages, the lines
// that the program links, exported identifiers of the public packages, types with many
// methods, long lines, and function names that occur often.
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
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	mostMethods = 40  // a type with more is listed
	mostColumns = 120 // a longer line is counted; a tab is one
	mostOften   = 10  // a name of functions that occurs more often is listed
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	s := &shape{
		product: map[string]int{}, tests: map[string]int{}, names: map[string]int{}, exported: map[string]int{},
		methods: map[string]int{}, interfaces: map[string]bool{"Error": true, "String": true},
	}
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return s.visit(root, path, d)
	}); err != nil {
		log.Fatal(err)
	}
	linked, err := linkedLines(root)
	if err != nil {
		log.Fatal(err)
	}
	s.print(linked)
}

// shape contains the counts.
type shape struct {
	product, tests  map[string]int // lines, by directory
	files           int            // of product code
	long, longTests int            // lines with too many columns
	names           map[string]int // of functions and methods in product code
	exported        map[string]int // identifiers, by directory of a public package
	methods         map[string]int // by directory and type
	interfaces      map[string]bool
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
	lines, long := countLines(string(source))
	if strings.HasSuffix(path, "_test.go") {
		s.tests[dir] += lines
		s.longTests += long
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
	s.long += long
	s.files++
	s.countNames(file, dir)
	return nil
}

// countLines returns the number of lines, and of those with too many columns.
func countLines(source string) (lines, long int) {
	for line := range strings.Lines(source) {
		lines++
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > mostColumns {
			long++
		}
	}
	return lines, long
}

// countNames counts the names that a file declares.
func (s *shape) countNames(file *ast.File, dir string) {
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
	public := file.Name.Name != "main" && !slices.Contains(strings.Split(dir, string(filepath.Separator)), "internal")
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.names[d.Name.Name]++
			if d.Recv != nil {
				s.methods[dir+"."+receiver(d.Recv.List[0].Type)]++
			} else if public && d.Name.IsExported() {
				s.exported[dir]++
			}
		case *ast.GenDecl:
			if public {
				s.exported[dir] += exportedNames(d)
			}
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(of ast.Expr) string {
	switch t := of.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
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

// linkedLines returns the lines of this module that the program links.
func linkedLines(root string) (int, error) {
	const each = `{{if and .Module .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}` + "\n" + `{{end}}{{end}}`
	cmd := exec.Command("go", "list", "-deps", "-f", each, "./cmd/bellcord") //nolint:noctx // ends by itself
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	n := 0
	for path := range strings.FieldsSeq(string(out)) {
		source, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		lines, _ := countLines(string(source))
		n += lines
	}
	return n, nil
}

func (s *shape) print(linked int) {
	for _, dir := range slices.Sorted(maps.Keys(s.product)) {
		fmt.Printf("%-36s %6d %6d\n", dir, s.product[dir], s.tests[dir])
	}
	fmt.Printf("%-36s %6d %6d\n\n", "lines in all, and of tests", sum(s.product), sum(s.tests))
	fmt.Printf("%-36s %6d\n", "lines that bellcord links", linked)
	fmt.Printf("%-36s %6d in %d packages\n", "files of product code", s.files, len(s.product))
	fmt.Printf("%-36s %6d, and %d of tests\n\n", fmt.Sprintf("lines of more than %d columns", mostColumns), s.long, s.longTests)
	fmt.Printf("exported identifiers of public packages, without methods: %d\n", sum(s.exported))
	printMost(s.exported, 0)
	fmt.Printf("\ntypes with more than %d methods:\n", mostMethods)
	printMost(s.methods, mostMethods)
	maps.DeleteFunc(s.names, func(name string, _ int) bool {
		return name == "New" || name == "main" || name == "init" || s.interfaces[name]
	})
	fmt.Printf("\nfunction names that occur more than %d times, without methods of interfaces:\n", mostOften)
	printMost(s.names, mostOften)
}

func sum(counts map[string]int) (n int) {
	for _, one := range counts {
		n += one
	}
	return n
}

// printMost prints the counts above a number, the largest first.
func printMost(counts map[string]int, above int) {
	names := slices.DeleteFunc(slices.Collect(maps.Keys(counts)), func(name string) bool { return counts[name] <= above })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	for _, name := range names {
		fmt.Printf("%6d %s\n", counts[name], name)
	}
}
