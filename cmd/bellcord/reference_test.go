//go:build unix

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// update makes the tests rewrite the generated documents: make reference.
var update = flag.Bool("update", false, "rewrite the generated references in docs")

// generated separates the handwritten part of a document from the generated part.
const generated = "<!-- What follows is written by make reference. -->\n"

// isCurrent compares the generated part of a document with the given text, or replaces it with
// -update.
func isCurrent(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written, is, ok := strings.Cut(string(text), generated)
	if !ok {
		t.Fatalf("docs/%s has no line %q", name, generated)
	}
	want = strings.TrimRight(want, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(written+generated+want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if is != want {
		t.Errorf("docs/%s is not current: make reference", name)
	}
}

func TestReference_Commands_IsCurrent(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	root := rootCommand()
	root.InitDefaultCompletionCmd()
	for _, c := range allCommands(root) {
		if !c.Runnable() {
			continue
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n%s.\n", strings.TrimSuffix(c.UseLine(), " [flags]"), strings.TrimSuffix(c.Short, "."))
		if c.Long != "" && c.Parent() != nil && c.Parent().Name() != "completion" && c.Name() != "completion" {
			fmt.Fprintf(&b, "\n%s\n", c.Long)
		}
		if usage := c.LocalFlags().FlagUsages(); c.HasAvailableLocalFlags() {
			fmt.Fprintf(&b, "\n```\n%s```\n", usage)
		}
	}
	isCurrent(t, "cli.md", b.String())
}

func TestCommands_All_HaveManualPagesAndCompletions(t *testing.T) {
	t.Parallel()
	n := newNewcomer(t)
	if _, errs, code := n.types("dev", "man", "pages"); code != 0 {
		t.Fatal(errs)
	}
	for _, page := range []string{"bellcord", "bellcord-run", "bellcord-token-create"} {
		text, err := os.ReadFile(filepath.Join(n.home, "pages", page+".1"))
		if err != nil {
			t.Error(err)
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if strings.HasPrefix(line, ".") && !strings.HasPrefix(line, ".SH ") && !strings.HasPrefix(line, ".TH ") &&
				!strings.HasPrefix(line, ".B ") && line != ".PP" && line != ".TP" {
				t.Errorf("%s: a line of text became a command: %q", page, line)
			}
		}
	}
	if man, err := exec.LookPath("man"); err == nil {
		if output, err := exec.Command(man, "--warnings", "-l", filepath.Join(n.home, "pages", "bellcord-run.1")).CombinedOutput(); err != nil || strings.Contains(string(output), "warning") {
			t.Errorf("%v: %s", err, output)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out, errs, code := n.types("completion", shell); code != 0 || len(out) < 1000 || errs != "" {
			t.Errorf("%s: %d bytes, %q, exit code %d", shell, len(out), errs, code)
		}
	}
}

func TestReference_Settings_IsCurrent(t *testing.T) {
	t.Parallel()
	text, _ := settingsReference(t)
	isCurrent(t, "config.md", text)
}

func TestReference_HTTP_IsCurrent(t *testing.T) {
	t.Parallel()
	isCurrent(t, "http-reference.md", httpReference(t))
}
