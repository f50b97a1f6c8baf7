//go:build unix

package main

import (
	"strings"
	"testing"
)

func TestRun_Mistake_PrintsAdviceAndCreatesNoSession(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no key", []string{"run", "--model", "anthropic/x", "hi"}, "ANTHROPIC_API_KEY is not set"},
		{"no provider", []string{"run", "--model", "gpt-4", "hi"}, "use the form provider/model"},
		{"unknown provider", []string{"run", "--model", "foo/bar", "hi"}, `unknown provider "foo"`},
		{"unknown fake model", []string{"run", "--model", "fake/nope", "hi"}, "the built-in provider has only fake and fake-mini"},
		{"no configuration", []string{"run", "hi"}, "bellcord init"},
		{"agent not installed", []string{"run", "--agent", "claude", "hi"}, "on PATH; to install it: npm install"},
		{"unknown agent", []string{"run", "--agent", "nope", "hi"}, `unknown agent "nope"`},
		{"no such directory", []string{"run", "--model", "fake/fake", "--dir", "/nope", "hi"}, "no such directory: /nope"},
		{"directory is a file", []string{"run", "--model", "fake/fake", "--dir", "/etc/passwd", "hi"}, "/etc/passwd is not a directory"},
		{"two words", []string{"run", "--model", "fake/fake", "hello", "world"}, `put it in quotes, as in bellcord run "hello world"`},
		{"empty", []string{"run", "--model", "fake/fake", ""}, "the prompt is empty"},
		{"no prompt", []string{"run", "--model", "fake/fake"}, "the prompt is empty"},
		{"unknown mode", []string{"run", "--model", "fake/fake", "--mode", "yolo", "hi"}, "use read-only, ask, auto-edit or full"},
		{"no unit", []string{"run", "--model", "fake/fake", "--deadline", "5", "hi"}, "write the unit, as in 5s"},
		{"server down", []string{"run", "--server", "http://127.0.0.1:1", "hi"}, "start one with bellcord serve"},
		{"data is a file", []string{"run", "--model", "fake/fake", "--data-dir", "/etc/passwd", "hi"}, "--data-dir"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := newNewcomer(t)
			_, errs, code := n.types(c.args...)
			if code != exitFailed || !strings.Contains(errs, c.want) {
				t.Errorf("exit code %d, %q; want it to say %q", code, errs, c.want)
			}
			if strings.Contains(errs, "to continue:") {
				t.Errorf("it suggests to continue: %s", errs)
			}
			if out, errs, code := n.types("sessions"); code != 0 || out != "no sessions yet\n" {
				t.Errorf("sessions: %q %q, exit code %d; want none", out, errs, code)
			}
		})
	}
}

func TestRun_MissingKey_RecordsNoTokens(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	n.types("run", "--model", "anthropic/x", "hi")
	if out, errs, code := n.types("usage"); code != 0 || strings.Contains(out, "anthropic") {
		t.Errorf("%s%s, exit code %d", out, errs, code)
	}
}

func TestRun_TextOnStandardInput_IsAppendedToPrompt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		args     []string
		want     string
	}{
		{"argument and pipe", "the text\n", []string{"[say x]explain"}, "[say x]explain\n\nthe text"},
		{"dash", "[say x]all of it\n", []string{"-"}, "[say x]all of it"},
		{"pipe alone", "[say x]all of it", nil, "[say x]all of it"},
		{"empty pipe", "", []string{"[say x]explain"}, "[say x]explain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := newNewcomer(t)
			args := append([]string{"run", "--json", "--model", "fake/fake"}, c.args...)
			out, errs, code := n.runs(strings.NewReader(c.in), args...) // exec copies it through a pipe
			if code != 0 || !strings.Contains(out, `"text":`+quoted(c.want)) {
				t.Errorf("exit code %d, %s\n%s\nwant the prompt %q", code, errs, out, c.want)
			}
		})
	}
}

// quoted returns a text as JSON. It supports only texts with a single JSON encoding.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, "\n", `\n`) + `"` }

func TestRun_Deadline_ExitsWith124(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	if _, errs, code := n.types("run", "--model", "fake/fake", "--deadline", "100ms", "[hang]"); code != exitDeadline {
		t.Errorf("%s, exit code %d; want %d", errs, code, exitDeadline)
	}
}
