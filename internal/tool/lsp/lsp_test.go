package lsp_test

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool/lsp"
	"github.com/bellcord/bellcord/proc"
)

var real = flag.Bool("real", false, "also run gopls and typescript-language-server, which must be installed")

// stage is a directory with one language server.
type stage struct {
	t      *testing.T
	dir    string
	set    *lsp.Set
	keeper *proc.Keeper
}

func open(t *testing.T, server lsp.Server) stage {
	t.Helper()
	keeper, err := proc.Open(t.TempDir(), proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server.Name = "test"
	set := lsp.Open([]lsp.Server{server}, lsp.Options{Start: unconfined(keeper), Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		set.Close()
		if err := keeper.Close(); err != nil {
			t.Error(err)
		}
	})
	return stage{t, dir, set, keeper}
}

// unconfined starts servers without a sandbox.
func unconfined(keeper *proc.Keeper) func(proc.Command) (*proc.Running, *bellcord.Sandbox, error) {
	return func(c proc.Command) (*proc.Running, *bellcord.Sandbox, error) {
		running, err := keeper.Start(c)
		return running, nil, err
	}
}

// scriptedServer is a server of this test binary.
func scriptedServer(t *testing.T, kind string) stage {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return open(t, lsp.Server{Command: []string{program}, Files: []string{"*.txt"}, Env: []string{"LSP_SERVER=" + kind}})
}

// change writes a file and returns its new errors as lines.
func (s stage) change(ctx context.Context, name, before, after string) []string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(after), 0o600); err != nil {
		s.t.Fatal(err)
	}
	var all []string
	problems, _ := s.set.NewErrors(ctx, s.dir, []lsp.File{{Path: path, Before: before, After: after}})
	for _, p := range problems {
		all = append(all, filepath.Base(p.Path)+":"+string(rune('0'+p.Line))+": "+p.Text)
	}
	return all
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), d)
	t.Cleanup(done)
	return ctx
}

func TestNewErrors_ServerReportsErrors_ReturnsOnlyNewOnes(t *testing.T) {
	t.Parallel()
	for kind, others := range map[string][]string{"versions": {"uses.txt:5: not declared"}, "plain": {"uses.txt:5: not declared"}, "pull": nil} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, ctx := scriptedServer(t, kind), within(t, time.Minute)
			for _, c := range []struct {
				about, before, after string
				want                 []string
			}{
				{"a new file", "", "declared\nwrong one\n", []string{"a.txt:2: wrong one"}},
				{"a moved error", "declared\nwrong one\n", "declared\n\nwrong one\n", nil},
				{"a second error", "declared\nwrong one\n", "declared\nwrong two\nwrong one\n", []string{"a.txt:2: wrong two"}},
				{"the same error twice", "declared\nwrong one\n", "declared\nwrong one\nwrong one\n", []string{"a.txt:3: wrong one"}},
				{"a corrected error", "declared\nwrong one\n", "declared\n", nil},
				{"an error in another file", "declared\n", "renamed\n", others},
			} {
				if got := s.change(ctx, "a.txt", c.before, c.after); !slices.Equal(got, c.want) {
					t.Errorf("%s: %q instead of %q", c.about, got, c.want)
				}
			}
			if got := s.change(ctx, "a.md", "", "wrong"); got != nil {
				t.Errorf("a file of no server: %q", got)
			}
		})
	}
}

func TestNewErrors_SetWithoutServers_ReturnsNothing(t *testing.T) {
	var none *lsp.Set
	if got, box := none.NewErrors(t.Context(), "/", []lsp.File{{Path: "/a.go", After: "x"}}); got != nil || box != nil {
		t.Error(got, box)
	}
	none.Close()
}

// Law 5: a stop never waits for a server. Law 15: no process survives.
func TestNewErrors_ServerDoesNotAnswer_ReturnsWithContextAndEndsWithSet(t *testing.T) {
	t.Parallel()
	s := scriptedServer(t, "silent")
	for range 2 { // the second check waits for the same server
		// A check that waited for the server would not end.
		if got := s.change(within(t, time.Second), "a.txt", "declared\n", "declared\nwrong\n"); got != nil {
			t.Errorf("%q", got)
		}
	}
	child, err := os.ReadFile(filepath.Join(s.dir, "child"))
	if err != nil || exec.Command("kill", "-0", string(child)).Run() != nil {
		t.Fatalf("the server has no child %s, error %v", child, err)
	}
	s.set.Close()
	if exec.Command("kill", "-0", string(child)).Run() == nil {
		t.Errorf("the server's child %s is still running", child)
	}
	if got := s.change(t.Context(), "a.txt", "", "wrong"); got != nil {
		t.Errorf("after Close: %q", got)
	}
}

func TestNewErrors_ServerFails_ReturnsNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"crash", "endless header"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, ctx := scriptedServer(t, kind), within(t, time.Minute)
			if got := s.change(ctx, "a.txt", "declared\n", "wrong\n"); got != nil || ctx.Err() != nil { // not because of the context
				t.Errorf("%q, %v", got, ctx.Err())
			}
			if got := s.change(within(t, time.Minute), "a.txt", "declared\n", "wrong\n"); got != nil {
				t.Errorf("again: %q", got)
			}
		})
	}
	s := open(t, lsp.Server{Command: []string{"/no/such/program"}, Files: []string{"*.txt"}})
	if got := s.change(t.Context(), "a.txt", "", "wrong"); got != nil {
		t.Errorf("a program that does not exist: %q", got)
	}
}

func TestNewErrors_RealServers_FindTypeErrors(t *testing.T) {
	if !*real {
		t.Skip("runs with -real")
	}
	for _, c := range []struct {
		command []string
		files   map[string]string
		name    string
		old     string
		new     string
		want    []string
	}{
		{
			[]string{"gopls"},
			map[string]string{
				"go.mod": "module example.com/a\n\ngo 1.26\n", "a.go": "package a\n\nfunc Sum(a, b int) int { return a + b }\n",
				"b.go": "package a\n\nvar Three = Sum(1, 2)\n",
			},
			"a.go", "a, b int) int { return a + b }", "a int) int { return a + missing }",
			[]string{"a.go:3: undefined: missing", "b.go:3: too many arguments"},
		},
		{
			[]string{"typescript-language-server", "--stdio"},
			map[string]string{
				"tsconfig.json": `{"compilerOptions":{"strict":true}}`, "a.ts": "export const n: number = 1\n",
			},
			"a.ts", "= 1", "= 'one'",
			[]string{"a.ts:1: Type 'string' is not assignable"},
		},
	} {
		t.Run(c.command[0], func(t *testing.T) {
			if _, err := exec.LookPath(c.command[0]); err != nil {
				t.Fatal(err)
			}
			s := open(t, lsp.Server{Command: c.command, Files: []string{"*.go", "*.ts"}})
			for name, text := range c.files {
				if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := c.files[c.name]
			after := strings.Replace(before, c.old, c.new, 1)
			for round := range 3 {
				began := time.Now()
				got := s.change(within(t, time.Minute), c.name, before, after)
				t.Logf("round %d, %v: %q", round, time.Since(began).Round(time.Millisecond), got)
				for _, want := range c.want {
					if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, want) }) {
						t.Errorf("without %q", want)
					}
				}
				if back := s.change(within(t, time.Minute), c.name, after, before); back != nil {
					t.Errorf("corrected: %q", back)
				}
			}
		})
	}
}

func TestLanguageID_FileNames_AreThoseOfTheProtocol(t *testing.T) {
	got := []string{lsp.LanguageID("a.go"), lsp.LanguageID("x/a.TSX"), lsp.LanguageID("a.py"), lsp.LanguageID("go.mod"), lsp.LanguageID("a.zig")}
	if want := []string{"go", "typescriptreact", "python", "go.mod", "zig"}; !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
}
