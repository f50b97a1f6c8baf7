package bellcord_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

const eventsFile = "docs/events.md"

func TestBodies_EveryTypeWithAKind_IsListedOnce(t *testing.T) {
	t.Parallel()
	var names, kinds []string
	for _, b := range bellcord.Bodies() {
		names, kinds = append(names, reflect.TypeOf(b).Name()), append(kinds, b.Kind())
	}
	slices.Sort(names)
	all := slices.Sorted(slices.Values(bodyNames(t)))
	if !slices.Equal(names, all) {
		t.Errorf("Bodies returns %v, the types are %v", names, all)
	}
	slices.Sort(kinds)
	if len(slices.Compact(kinds)) != len(names) {
		t.Errorf("two types have the same kind: %v", kinds)
	}
}

func TestEventsPage_Types_AreDocumented(t *testing.T) {
	t.Parallel()
	want := eventsPage(t)
	if *updateLaws {
		if err := os.WriteFile(eventsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(eventsFile); err != nil || string(got) != want {
		t.Errorf("%s is not what event.go says: run make reference (%v)", eventsFile, err)
	}
}

// eventsPage returns the page of event kinds, from the types and their comments.
func eventsPage(t *testing.T) string {
	t.Helper()
	docs := typeComments(t, "event.go")
	var page strings.Builder
	page.WriteString(`# Events

This page lists every kind of event in a session's log, with the fields of its body. You receive events from
` + "`GET /v1/sessions/{session}/events`" + ` (see [HTTP](http.md)), from ` + "`bellcord run --json`" + ` and from the Go API. ` + "`make reference`" + `
writes this page from ` + "`event.go`" + `.

Every event has ` + "`session`, `seq`, `time`, `kind` and `body`" + `, and ` + "`turn`" + ` if it belongs to a turn. ` + "`seq`" + ` counts from 1 within the
session, without gaps. Numbers have their unit in their name.
`)
	for _, b := range bellcord.Bodies() {
		fmt.Fprintf(&page, "\n## `%s`\n\n%s\n", b.Kind(), plainComment(docs[reflect.TypeOf(b).Name()]))
		if fields := fieldsOf(reflect.TypeOf(b)); len(fields) > 0 {
			page.WriteString("\n| Field | Type |\n|---|---|\n" + strings.Join(fields, ""))
		}
	}
	page.WriteString("\nLater versions can add kinds. Ignore kinds that you do not know. " +
		"The Go packages read such an event as an `UnknownEvent`, which keeps its kind and its body.\n")
	return page.String()
}

// plainComment returns a comment as a paragraph.
func plainComment(text string) string { return strings.Join(strings.Fields(text), " ") }

// fieldsOf returns the rows of a body's fields.
func fieldsOf(body reflect.Type) (rows []string) {
	for i := range body.NumField() {
		f := body.Field(i)
		if f.Anonymous {
			rows = append(rows, fieldsOf(f.Type)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		kind := typeWord(f.Type)
		if values := f.Tag.Get("enum"); values != "" {
			kind = "`" + strings.ReplaceAll(values, ",", "`, `") + "`"
		}
		if options != "" {
			kind += ", optional"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", name, kind))
	}
	return rows
}

// typeWord returns the name of a field's type for the page.
func typeWord(f reflect.Type) string {
	switch {
	case f.String() == "json.RawMessage":
		return "any JSON"
	case f.Kind() == reflect.Pointer:
		return typeWord(f.Elem())
	case f.Kind() == reflect.Map:
		return "object"
	case f.Kind() == reflect.Slice:
		return "list of " + typeWord(f.Elem())
	case f.Kind() == reflect.Struct:
		return "object (" + f.Name() + ")"
	case f.Kind() == reflect.String:
		return "string"
	case f.Kind() == reflect.Bool:
		return "boolean"
	default:
		return "integer"
	}
}

// typeComments returns the doc comments of the types in a file.
func typeComments(t *testing.T, file string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, d := range parsed.Decls {
		decl, is := d.(*ast.GenDecl)
		if !is || decl.Tok != token.TYPE {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.TypeSpec)
			all[spec.Name.Name] = spec.Doc.Text()
			if spec.Doc == nil {
				all[spec.Name.Name] = decl.Doc.Text()
			}
		}
	}
	return all
}
