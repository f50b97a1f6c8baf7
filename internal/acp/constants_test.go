package acp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// declarations calls visit with every declaration of the package, except in
// tests.
func declarations(t *testing.T, visit func(token.Token, ast.Spec)) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if d, is := d.(*ast.GenDecl); is {
				for _, spec := range d.Specs {
					visit(d.Tok, spec)
				}
			}
		}
	}
}

func typeNames(t *testing.T) (names []string) {
	t.Helper()
	declarations(t, func(_ token.Token, spec ast.Spec) {
		if s, is := spec.(*ast.TypeSpec); is && s.Name.IsExported() {
			names = append(names, s.Name.Name)
		}
	})
	return names
}

// constants returns the values of the package's constants, by type or, if they
// have no type, by the first word of their names.
func constants(t *testing.T) map[string][]any {
	t.Helper()
	values := map[string][]any{}
	declarations(t, func(tok token.Token, spec ast.Spec) {
		s, is := spec.(*ast.ValueSpec)
		if !is || tok != token.CONST {
			return
		}
		name := s.Names[0].Name
		kind := name[:1+strings.IndexFunc(name[1:]+"X", unicode.IsUpper)]
		if s.Type != nil {
			kind = s.Type.(*ast.Ident).Name
		}
		values[kind] = append(values[kind], literal(t, s.Values[0]))
	})
	return values
}

func literal(t *testing.T, e ast.Expr) any {
	t.Helper()
	if negative, is := e.(*ast.UnaryExpr); is {
		return -literal(t, negative.X).(float64)
	}
	text := e.(*ast.BasicLit).Value
	if s, err := strconv.Unquote(text); err == nil {
		return s
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Every method must be in the schema, and its parameters and results must be
// among the messages.
func TestMethods_OfficialSchema_HaveTheirMessages(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for _, method := range c.enums["Method"] {
		found := false
		for name, d := range c.defs {
			if d.Method != method {
				continue
			}
			found = true
			listed := slices.ContainsFunc(messages, func(m any) bool { return strings.EqualFold(reflect.TypeOf(m).Name(), name) })
			if _, empty := d.Properties["_meta"]; !listed && (!empty || len(d.Properties) > 1) {
				t.Errorf("%s: %s is not among the messages", method, name)
			}
		}
		if !found {
			t.Errorf("the schema has no method %v", method)
		}
	}
}

func TestErrorCodes_OfficialSchema_ContainsThem(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for _, code := range c.enums["ErrorCode"] {
		if !slices.ContainsFunc(c.named("ErrorCode").AnyOf, func(d *definition) bool { return d.Const == code }) {
			t.Errorf("the schema has no code %v", code)
		}
	}
}

func TestTags_OfficialSchema_ContainsThem(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for prefix, known := range map[string][]map[string]*definition{
		"Type":    {tagged(c.named("ContentBlock"), "type"), tagged(c.named("ToolCallContent"), "type")},
		"Outcome": {tagged(c.named("RequestPermissionOutcome"), "outcome")},
	} {
		if len(c.enums[prefix]) == 0 {
			t.Errorf("there are no constants %s…", prefix)
		}
		for _, tag := range c.enums[prefix] {
			if !slices.ContainsFunc(known, func(of map[string]*definition) bool { return of[tag.(string)] != nil }) {
				t.Errorf("the schema has no tag %v", tag)
			}
		}
	}
}
