package bellcord_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/typecheck"
)

// notPublic are the directories with packages for this module only.
var notPublic = []string{"bench", "cmd", "laws", "peers", "tools"}

// A program outside of this module can use every exported name of a public
// package. A type of an internal package in its signature could be neither named
// nor made there.
func TestPublicPackages_ExportedSignatures_NameNoInternalType(t *testing.T) {
	t.Parallel()
	m := typecheck.List(t, "./...")
	public := slices.DeleteFunc(m.Paths, func(path string) bool { return !isPublic(path) })
	for _, want := range []string{"", "/api", "/client", "/history", "/hub", "/lifecycle", "/proc", "/store/postgres", "/store/sqlite", "/store/storetest"} {
		if !slices.Contains(public, module+want) {
			t.Errorf("%s is not among the public packages %q", module+want, public)
		}
	}
	for _, path := range public {
		pkg, err := m.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, leak := range internalTypes(pkg) {
			t.Error(leak)
		}
	}
}

func isPublic(path string) bool {
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), "/")
	return !isInternal(path) && !slices.Contains(notPublic, parts[0])
}

// The stores implement these interfaces for the server. Nothing else calls the methods.
const ofTheServer = module + "/internal/serverstore"

func isInternal(path string) bool {
	return path != ofTheServer && strings.HasPrefix(path, module+"/") && slices.Contains(strings.Split(path, "/"), "internal")
}

// internalTypes lists the exported names of a package that have a type of an
// internal package in their signatures.
func internalTypes(pkg *types.Package) []string {
	w := walk{pkg: pkg, seen: map[types.Type]bool{}}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		w.at = pkg.Path() + "." + name
		if tn, is := o.(*types.TypeName); is && tn.IsAlias() {
			w.alias(tn)
			continue
		}
		w.visit(o.Type())
	}
	return w.leaks
}

type walk struct {
	pkg   *types.Package
	at    string // the exported name that is visited
	seen  map[types.Type]bool
	leaks []string
}

// alias visits what an exported alias stands for.
func (w *walk) alias(tn *types.TypeName) {
	if a, is := tn.Type().(*types.Alias); is {
		w.visit(a.Rhs())
		w.parameters(a.TypeParams())
	}
}

// within visits a type that belongs to a part of the name visited now.
func (w *walk) within(name string, t types.Type) {
	at := w.at
	w.at += "." + name
	w.visit(t)
	w.at = at
}

func (w *walk) visit(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		w.named(t)
	case *types.Alias:
		if !w.report(t.Obj()) {
			w.visit(t.Rhs())
		}
		w.arguments(t.TypeArgs())
	case *types.Signature:
		w.parameters(t.TypeParams())
		w.visit(t.Params())
		w.visit(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.visit(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				w.within(f.Name(), f.Type())
			}
		}
	case *types.Interface:
		w.members(t)
	case *types.Union:
		for term := range t.Terms() {
			w.visit(term.Type())
		}
	case *types.Map:
		w.visit(t.Key())
		w.visit(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		w.visit(t.Elem())
	}
}

// named visits a type with a name. The parts of a type of another package are
// visited with that package.
func (w *walk) named(t *types.Named) {
	w.arguments(t.TypeArgs())
	if w.report(t.Obj()) || t.Obj().Pkg() != w.pkg || w.seen[t.Origin()] {
		return
	}
	t = t.Origin()
	w.seen[t] = true
	if t.Obj().Exported() {
		at := w.at
		defer func() { w.at = at }()
		w.at = w.pkg.Path() + "." + t.Obj().Name()
	}
	w.parameters(t.TypeParams())
	w.visit(t.Underlying())
	for m := range t.Methods() {
		if m.Exported() {
			w.within(m.Name(), m.Type())
		}
	}
}

func (w *walk) members(t *types.Interface) {
	for m := range t.ExplicitMethods() {
		if m.Exported() {
			w.within(m.Name(), m.Type())
		}
	}
	for e := range t.EmbeddedTypes() {
		w.visit(e)
	}
}

func (w *walk) arguments(list *types.TypeList) {
	for t := range list.Types() {
		w.visit(t)
	}
}

func (w *walk) parameters(list *types.TypeParamList) {
	for p := range list.TypeParams() {
		w.visit(p.Constraint())
	}
}

func (w *walk) report(o *types.TypeName) bool {
	if o.Pkg() == nil || !isInternal(o.Pkg().Path()) {
		return false
	}
	w.leaks = append(w.leaks, fmt.Sprintf("%s names the internal type %s.%s", w.at, o.Pkg().Path(), o.Name()))
	return true
}

// Every way in which a signature can name a type is found.
func TestInternalTypes_EachKindOfSignature_IsReported(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	secret := compile(t, fset, module+"/internal/secret", nil, `package secret
		type T struct{}
		type G[V any] struct{ V V }
		type A = int
		type I interface{ M() }`)
	for name, source := range map[string]string{
		"parameter":        `func F(secret.T) {}`,
		"result":           `func F() []map[string]*secret.T { return nil }`,
		"method":           `type X int; func (*X) M(chan secret.T) {}`,
		"field":            `type X struct { F func() [1]secret.T }`,
		"embedded field":   `type X struct { *secret.T }`,
		"variable":         `var V = secret.T{}`,
		"constant":         `const C secret.A = 1`,
		"type":             `type X []secret.T`,
		"alias":            `type X = secret.T`,
		"interface method": `type X interface { M(secret.T) }`,
		"embedded":         `type X interface { secret.I }`,
		"type parameter":   `type X[P secret.I] struct{}`,
		"type argument":    `type g[P any] struct{}; type X struct { F g[secret.T] }`,
		"union":            `type X interface { ~int | secret.T }`,
		"generic type":     `func F() secret.G[int] { panic("") }`,
		"unexported type":  `type x struct{}; func (x) M() secret.T { panic("") }; type X struct { x }`,
		"returned type":    `type x struct{}; func (x) M() secret.T { panic("") }; func F() x { return x{} }`,
	} {
		pkg := compile(t, fset, module+"/open", secret, `package open; import "`+secret.Path()+`"; `+source)
		if len(internalTypes(pkg)) == 0 {
			t.Errorf("%s: nothing is reported for %s", name, source)
		}
	}
	for name, source := range map[string]string{
		"body":             `func F() { _ = secret.T{} }`,
		"unexported":       `type x struct{ t secret.T }; func (x) m() secret.T { panic("") }; func f(secret.T) {}; type X struct { f x; x x }; func (X) m() {}`,
		"unexported field": `type X struct { f secret.T }; func (*X) m(secret.T) {}`,
	} {
		pkg := compile(t, fset, module+"/open", secret, `package open; import "`+secret.Path()+`"; `+source)
		if leaks := internalTypes(pkg); len(leaks) > 0 {
			t.Errorf("%s: %q are reported for %s", name, leaks, source)
		}
	}
}

type only struct{ pkg *types.Package }

func (o only) Import(path string) (*types.Package, error) {
	if o.pkg == nil || o.pkg.Path() != path {
		return nil, fmt.Errorf("no package %s", path)
	}
	return o.pkg, nil
}

func compile(t *testing.T, fset *token.FileSet, path string, imports *types.Package, source string) *types.Package {
	t.Helper()
	f, err := parser.ParseFile(fset, path+".go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: only{imports}}).Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}
