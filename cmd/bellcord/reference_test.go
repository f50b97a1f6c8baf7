//go:build unix

package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	shared := sharedFlags(root)
	b.WriteString("\n## Flags that several commands have\n\n")
	b.WriteString("Every command has `-h`, `--help`. A section names the flags of this list as shared flags.\n\n")
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, f := range shared {
		all.AddFlag(f)
	}
	fmt.Fprintf(&b, "```\n%s```\n\n## Commands\n", all.FlagUsages())
	for _, c := range allCommands(root) {
		if !c.Runnable() {
			continue
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n%s.\n", strings.TrimSuffix(c.UseLine(), " [flags]"), strings.TrimSuffix(c.Short, "."))
		if c.Long != "" && c.Parent() != nil && c.Parent().Name() != "completion" && c.Name() != "completion" {
			fmt.Fprintf(&b, "\n%s\n", c.Long)
		}
		own := pflag.NewFlagSet("", pflag.ContinueOnError)
		own.SortFlags = c.LocalFlags().SortFlags
		var others []string
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			switch {
			case f.Hidden || f.Name == "help":
			case shared[signature(f)] != nil:
				others = append(others, "`--"+f.Name+"`")
			default:
				own.AddFlag(f)
			}
		})
		if own.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n```\n%s```\n", own.FlagUsages())
		}
		if len(others) > 0 {
			fmt.Fprintf(&b, "\nShared flags: %s.\n", strings.Join(others, ", "))
		}
	}
	isCurrent(t, "cli.md", b.String())
}

// sharedFlags returns the flags that more than two commands have, by their signatures. Of several
// flags with one name, it is the one that most commands have.
func sharedFlags(root *cobra.Command) map[string]*pflag.Flag {
	number := map[string]int{}
	flags := map[string]*pflag.Flag{}
	for _, c := range allCommands(root) {
		if c.Runnable() {
			c.LocalFlags().VisitAll(func(f *pflag.Flag) {
				number[signature(f)]++
				flags[signature(f)] = f
			})
		}
	}
	most := map[string]string{}
	for _, s := range slices.Sorted(maps.Keys(flags)) {
		if name := flags[s].Name; number[s] > number[most[name]] {
			most[name] = s
		}
	}
	maps.DeleteFunc(flags, func(s string, f *pflag.Flag) bool {
		return number[s] < 3 || most[f.Name] != s || f.Hidden || f.Name == "help"
	})
	return flags
}

// signature identifies a flag with its description.
func signature(f *pflag.Flag) string {
	return strings.Join([]string{f.Shorthand, f.Name, f.Value.Type(), f.DefValue, f.Usage}, "\x00")
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
