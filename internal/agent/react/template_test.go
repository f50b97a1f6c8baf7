package react

import (
	"strings"
	"testing"
	"text/template"
)

var someFacts = []facts{
	{},
	{
		Dir: "/work", Additional: []string{"/more", "/others"}, System: "linux", Git: true, Started: "2000-01-01", Mode: "ask", Sandboxed: true,
		Instructions: []instruction{{Path: "AGENTS.md", Text: "Be brief."}, {Path: "more/AGENTS.md", Text: "{{.Dir}}"}},
	},
}

func TestFill_Templates_GiveWhatTextTemplateGives(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		ownTemplate,
		"", " \n", "{{/* nothing */}}",
		"{{.Dir}} {{.Git}} {{$.Mode}} {{len .Dir}} {{.Additional}}",
		"{{if and .Git (not .Sandboxed)}}a{{else if or .Mode .Dir}}b{{else}}c{{end}}",
		"{{and .Mode .Dir .Git}} {{or .Mode .Dir}} {{and 0 .Nothing}} {{or 1 .Nothing}}",
		"{{range .Additional}}[{{.}} {{$.Dir}}]{{else}}none{{end}}",
		"{{range $x := .Instructions}}{{$x.Path}}={{$x.Text}};{{end}}",
		"{{range $i, $x := .Instructions}}{{if $i}}, {{end}}{{$i}} {{$x.Path}} {{.Text}}{{end}}",
		"{{range $i, $x := .Additional}}{{if eq $i 1}}{{break}}{{end}}{{continue}}x{{end}}{{range .Additional}}{{.}}{{break}}{{end}}",
		"{{with .Mode}}{{.}} in {{$.Dir}}{{else with .Dir}}{{.}}{{else}}no mode{{end}}",
		"{{$n := 1}}{{if .Git}}{{$n = 2}}{{$m := 3}}{{$m}}{{end}}{{$n}}",
		`{{eq .System "darwin" "linux"}} {{ne .System "linux"}} {{lt 1 2}} {{le 2 2}} {{gt "a" "b"}} {{ge 1 2}} {{1.5}} {{true}}`,
		`{{printf "%q in %s" .Mode .Dir}} {{print "a" 1 2 "b"}}{{println .Dir}} {{.Dir | printf "%s-%s" "x" | len}}`,
		"{{if .Instructions}}{{(index .Instructions 0).Path}} {{index .Additional 1}}{{end}}",
		"a  {{- .Dir -}}  b",
	} {
		parsed := template.Must(template.New("").Parse(text))
		for _, f := range someFacts {
			var want strings.Builder
			if err := parsed.Execute(&want, f); err != nil {
				t.Fatal(err)
			}
			if got, err := fill(text, f.data()); err != nil || got != want.String() {
				t.Errorf("%s\ngives %q, %v\nwant  %q", text, got, err, want.String())
			}
		}
	}
}

func TestFill_MistakeInTheTemplate_IsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{.Nothing}}":                       "Nothing",
		"\n{{(index .Instructions 0).Name}}": ":2:",
		"{{.Dir.Name}}":                      "Name",
		"{{if .Dir}}":                        "unexpected EOF",
		"{{html .Dir}}":                      `function "html" not defined`,
		"{{define \"a\"}}{{end}}{{template \"a\"}}": "not supported",
		"{{range .Dir}}{{end}}":                     "cannot range over",
		"{{.Dir 1}}":                                "not a function",
		"{{eq .Dir 1}}":                             "cannot be compared",
		"{{eq .Additional .Additional}}":            "cannot be compared",
		"{{lt .Git 1}}":                             "cannot be compared",
		"{{not}}":                                   "0 arguments",
		"{{len 1}}":                                 "no length",
		"{{index .Additional 2}}":                   "no item 2",
		"{{printf 1}}":                              "not a format",
		"{{and}}":                                   "needs an argument",
		"{{nil | print}}":                           "nil",
	} {
		if got, err := fill(text, someFacts[1].data()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}
