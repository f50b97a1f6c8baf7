//go:build unix

package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
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
			fmt.Fprintf(&b, "\n## `%s`\n\nThis section %s\n", title, rest)
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
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", key, kind, standard, strings.ReplaceAll(note.description(), "|", "\\|"))
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

// elementOf returns the section itself, or an empty element for a list or table of sections.
func elementOf(section reflect.Value) reflect.Value {
	if section.Kind() == reflect.Struct {
		return section
	}
	return reflect.Zero(section.Type().Elem())
}

// dependsOnMachine are the settings whose default is different on each machine, so that the reference
// describes it.
var dependsOnMachine = []string{"data_dir", "cluster.node_name"}

// note is the comment of a setting: a description and, in parentheses at the end, what applies if it
// is unset, or whether it is required, and the environment variables that set it.
type note struct {
	text, unset, required string
	env                   []string
}

// noteParts matches the parentheses at the end of a comment.
var noteParts = regexp.MustCompile(`^(.*) \(((?:unset: |required|env ).*)\)$`)

func parseNote(t *testing.T, key, comment string) note {
	t.Helper()
	n := note{text: comment}
	if m := noteParts.FindStringSubmatch(comment); m != nil {
		n.text = m[1]
		for part := range strings.SplitSeq(m[2], "; ") {
			switch name, rest, _ := strings.Cut(part, " "); name {
			case "unset:":
				n.unset = withConstants(t, rest)
			case "required":
				n.required = part
			case "env":
				n.env = environmentName.FindAllString(rest, -1)
				n.text += ". Environment: " + environmentName.ReplaceAllString(rest, "`$0`")
			default:
				t.Errorf("%s: the comment has %q: use unset, required or env", key, part)
			}
		}
	}
	if len(strings.Fields(n.text)) < 2 || strings.Contains(n.text, "default") {
		t.Errorf("%s: the comment %q is no description: describe the setting, and leave its default to config.Defaults", key, comment)
	}
	return n
}

var (
	environmentName = regexp.MustCompile(`[A-Z]+(?:_[A-Z]+)+`)
	constantName    = regexp.MustCompile(`\[(\w+\.\w+)\]`)
)

// withConstants replaces the names of constants in brackets with the values that the program uses.
func withConstants(t *testing.T, text string) string {
	t.Helper()
	return constantName.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := map[string]any{
			"[anthropic.DefaultMaxTokens]":    anthropic.DefaultMaxTokens,
			"[anthropic.MinAnswerTokens]":     anthropic.MinAnswerTokens,
			"[auth.DefaultClaim]":             auth.DefaultClaim,
			"[auth.DefaultScopes]":            auth.DefaultScopes,
			"[config.AnthropicContextWindow]": config.AnthropicContextWindow,
			"[config.GeminiContextWindow]":    config.GeminiContextWindow,
			"[config.OtherContextWindow]":     config.OtherContextWindow,
		}[name]
		if !ok {
			t.Errorf("there is no constant %s", name)
		}
		if scopes, ok := value.([]bellcord.Scope); ok {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(scopes), " ", ", "), "[]")
		}
		return fmt.Sprint(value)
	})
}

// description returns the description as a sentence.
func (n note) description() string {
	first, size := utf8.DecodeRuneInString(n.text)
	if strings.HasPrefix(n.text, "https ") || strings.HasPrefix(n.text, "host:port") {
		return n.text + "."
	}
	return string(unicode.ToUpper(first)) + n.text[size:] + "."
}

// standard returns the default as the reference shows it: the value of config.Defaults, or the note's
// text for a setting without one.
func (n note) standard(t *testing.T, key string, value reflect.Value) string {
	t.Helper()
	onMachine := slices.Contains(dependsOnMachine, key)
	switch hasText := n.unset != "" || n.required != ""; {
	case hasText && !value.IsZero() && !onMachine:
		t.Errorf("%s: the comment describes a default, but config.Defaults has %v", key, value)
	case hasText:
		return cmp.Or(n.unset, n.required)
	}
	switch value.Kind() {
	case reflect.Bool, reflect.Int, reflect.Float64:
		return fmt.Sprintf("`%v`", value)
	case reflect.Int64:
		if d, ok := value.Interface().(config.Duration); ok {
			return "`\"" + shortDuration(time.Duration(d)) + "\"`"
		}
		return fmt.Sprintf("`%v`", value)
	case reflect.Slice, reflect.Map:
		if value.Len() == 0 {
			return "none"
		}
	case reflect.String:
		if value.String() != "" {
			return fmt.Sprintf("`%q`", value)
		}
	default:
	}
	t.Errorf("%s: has no default: add (unset: …) or (required) to its comment", key)
	return ""
}

// shortDuration formats a duration without units that are 0: 30m instead of 30m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
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
