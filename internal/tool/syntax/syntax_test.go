package syntax_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/tool/syntax"
)

func TestCheck_BrokenFile_ReturnsLineAndText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		line       int
		says       string
		known      bool
	}{
		{"a.go", "package a\n\nfunc f() {\n\tx :=\n}\n", 5, "expected operand", true},
		{"a.go", "package a\n", 0, "", true},
		{"a.json", "{\n  \"a\": 1,\n}\n", 3, "invalid character '}'", true},
		{"a.json", "\uFEFF{}", 0, "", true},
		{"a.txt", "{", 0, "", false},
	} {
		got, known := syntax.Check(c.name, c.text)
		if known != c.known || (len(got) > 0) != (c.says != "") || len(got) > 0 && (got[0].Line != c.line || !strings.Contains(got[0].Text, c.says)) {
			t.Errorf("%s %q: %+v, %t", c.name, c.text, got, known)
		}
	}
}

func TestPrograms_NameAndFirstLine_SelectProgram(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a.py", "", "python3"},
		{"tool", "#!/usr/bin/env python3\n", "python3"},
		{"a.js", "let a", "node --check"},
		{"a.js", "import a from 'a'\n", "node --input-type=module"},
		{"a.mjs", "let a", "node --input-type=module"},
		{"a.sh", "a=(1)", "bash"},
		{"a.sh", "#!/bin/sh\n", "sh"},
		{"run", "#!/usr/bin/env bash\n", "bash"},
		{"a.ts", "let a: number", ""},
		{"run", "#!/usr/bin/perl\n", ""},
	} {
		got := ""
		for _, p := range syntax.Programs(c.name, c.text) {
			got += strings.Join(p.Args, " ")
		}
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s %q: %s", c.name, c.text, got)
		}
	}
}

func TestProgram_Report_ReadsItsOutput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, output string
		want         syntax.Problem
	}{
		{"a.py", "3: invalid syntax\n", syntax.Problem{Line: 3, Text: "invalid syntax"}},
		{"a.js", "[stdin]:2\nlet b b\n      ^\n\nSyntaxError: Unexpected identifier 'b'\n    at x\n", syntax.Problem{Line: 2, Text: "SyntaxError: Unexpected identifier 'b'"}},
		{"a.bash", "bash: line 4: syntax error near `fi'\n", syntax.Problem{Line: 4, Text: "syntax error near `fi'"}},
		{"a.bash", "bash: syntax error: unexpected end of file\n", syntax.Problem{Text: "syntax error: unexpected end of file"}},
	} {
		if got := syntax.Programs(c.name, "")[0].Report(c.output); !reflect.DeepEqual(got, []syntax.Problem{c.want}) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got := syntax.Programs("f", "#!/bin/sh\n")[0].Report("sh: 2: Syntax error: end of file unexpected\n"); len(got) != 1 || got[0].Line != 2 {
		t.Errorf("sh: %+v", got)
	}
}

func TestNew_ProblemsFromBefore_AreLeftOut(t *testing.T) {
	t.Parallel()
	a, b := syntax.Problem{Line: 1, Text: "a"}, syntax.Problem{Line: 2, Text: "b"}
	moved := syntax.Problem{Line: 9, Text: "a"}
	if got := syntax.New([]syntax.Problem{a}, []syntax.Problem{moved, b, a}); !reflect.DeepEqual(got, []syntax.Problem{b, a}) {
		t.Errorf("%+v", got)
	}
}
