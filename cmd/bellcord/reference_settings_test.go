//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/config"
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

// settingsReference returns a table for each section of the file. Descriptions are the comments of
// the structs that the file is read into, and defaults are the values of config.Defaults.
//
// It also returns the environment variables in the comments, each with its setting.
func settingsReference(t *testing.T) (text string, environment map[string]string) {
	t.Helper()
	var b strings.Builder
	environment = map[string]string{}
	all := configStructs(t)
	var section func(value reflect.Value, title string)
	section = func(value reflect.Value, title string) {
		s := all[value.Type().Name()]
		if title != "" {
			_, rest, _ := strings.Cut(s.doc, " ") // the name of the type
			fmt.Fprintf(&b, "\n## `%s`\n\nThis section %s\n", title, asCode(rest))
		}
		fmt.Fprintf(&b, "\n| setting | type | default | description |\n|---|---|---|---|\n")
		type below struct {
			value reflect.Value
			title string
		}
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
			note := parseNote(t, key, oneLine(f.Comment.Text()+" "+f.Doc.Text()))
			for _, name := range note.env {
				environment[name] = key
			}
			field := value.FieldByName(f.Names[0].Name)
			standard := "see below"
			if sub != "" && all[of].fields != nil {
				later = append(later, below{elementOf(field), sub})
				kind = "section"
			} else {
				standard = note.standard(t, strings.TrimPrefix(strings.Trim(title, "[]")+"."+key, "."), field)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", key, kind, standard, strings.ReplaceAll(asCode(note.description()), "|", "\\|"))
		}
		for _, next := range later {
			section(next.value, next.title)
		}
	}
	section(reflect.ValueOf(config.Defaults()), "")
	return b.String(), environment
}

// findSetting reports whether a setting with this name has the value, in any section.
func findSetting(in reflect.Value, key, value string) bool {
	switch in.Kind() {
	case reflect.Struct:
		for i := range in.NumField() {
			field := in.Field(i)
			if in.Type().Field(i).Tag.Get("toml") == key && field.Kind() == reflect.String && field.String() == value || findSetting(field, key, value) {
				return true
			}
		}
	case reflect.Map:
		for _, k := range in.MapKeys() {
			if findSetting(in.MapIndex(k), key, value) {
				return true
			}
		}
	default:
	}
	return false
}

func TestReference_EnvironmentVariable_SetsTheSettingThatNamesIt(t *testing.T) { // not parallel: it sets the environment
	_, environment := settingsReference(t)
	if len(environment) < 13 {
		t.Errorf("only %d variables are described", len(environment))
	}
	for name, key := range environment {
		t.Setenv(name, "value of "+name)
		c, err := config.Load(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		if !findSetting(reflect.ValueOf(c), key, "value of "+name) {
			t.Errorf("%s does not set %s", name, key)
		}
	}
}

// The test compares the defaults in help texts with those of the settings that the flags override.
func TestReference_DefaultsOfFlags_AreThoseOfTheSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, flag, setting string }{
		{"run", "mode", "mode"},
		{"run", "max-steps", "limits.max_steps"},
		{"serve", "addr", "serve.addr"},
		{"serve", "shutdown-grace", "serve.shutdown_grace"},
	} {
		cmd, _, err := rootCommand().Find([]string{test.command})
		if err != nil {
			t.Fatal(err)
		}
		value := reflect.ValueOf(config.Defaults())
		for key := range strings.SplitSeq(test.setting, ".") {
			value = fieldOf(t, value, key)
		}
		want := fmt.Sprint(value)
		if d, ok := value.Interface().(config.Duration); ok {
			want = shortDuration(time.Duration(d))
		}
		if usage := cmd.Flags().Lookup(test.flag).Usage; !strings.HasSuffix(usage, "default "+want+")") {
			t.Errorf("bellcord %s --%s: %q, but %s is %s", test.command, test.flag, usage, test.setting, want)
		}
	}
}

// fieldOf returns the field of a section for a setting.
func fieldOf(t *testing.T, section reflect.Value, key string) reflect.Value {
	t.Helper()
	for i := range section.NumField() {
		if section.Type().Field(i).Tag.Get("toml") == key {
			return section.Field(i)
		}
	}
	t.Fatalf("there is no setting %s", key)
	return reflect.Value{}
}

// elementOf returns the section itself, or an empty element for a list or table of sections.
func elementOf(section reflect.Value) reflect.Value {
	if section.Kind() == reflect.Struct {
		return section
	}
	return reflect.Zero(section.Type().Elem())
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
		if rest, isList := strings.CutPrefix(kind, "list of "); isList {
			return "table of lists of " + rest, of, "[" + key + ".NAME]"
		}
		return "table of " + kind + "s", of, "[" + key + ".NAME]"
	}
	return "", "", ""
}
