package react_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// Another session can work in the directory around this one's, and replace it.
func TestTurn_DirectoryReplacedBetweenCalls_LaterCallsAreRefused(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(dir, other string) error{
		"by a link":            func(dir, other string) error { return os.Symlink(other, dir) },
		"by another directory": func(dir, other string) error { return os.Rename(other, dir) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := []string{
				`read_file {"path":"a.txt"}`, `swap {}`, `read_file {"path":"a.txt"}`, `list_dir {}`, `grep {"pattern":"."}`, `glob {"pattern":"*"}`,
				`write_file {"path":"new.txt","content":"x"}`,
			}
			m := &model{}
			for i, call := range calls {
				of, args, _ := strings.Cut(call, " ")
				m.script = append(m.script, step(i, of, args))
			}
			m.script = append(m.script, answer{text: "ok"}, step(100, "read_file", `{"path":"a.txt"}`), answer{text: "ok"})
			tools := func(s *stage) []tool.Tool {
				return []tool.Tool{tool.ReadFile(), tool.ListDir(), tool.Grep(), tool.Glob(), tool.WriteFile(), made("swap", func(context.Context, tool.Call) tool.Result {
					dir := filepath.Join(s.session.Dir, "work")
					if err := os.Rename(dir, dir+"2"); err != nil {
						t.Error(err)
					}
					if err := replace(dir, filepath.Join(s.session.Dir, "other")); err != nil {
						t.Error(err)
					}
					return tool.Result{Text: "swapped", Fate: bellcord.CallFinished}
				})}
			}
			onStage(t, m, "full", tools, func(t *testing.T, s *stage) {
				put(t, filepath.Join(s.session.Dir, "work", "a.txt"), "OWN")
				put(t, filepath.Join(s.session.Dir, "other", "a.txt"), "FOREIGN")
				if _, err := s.Configure(s.session.ID, bellcord.SessionUpdated{Dir: filepath.Join(s.session.Dir, "work")}); err != nil {
					t.Fatal(err)
				}
				s.run("go")
				for i, call := range calls {
					got := s.resultSent(fmt.Sprint(i))
					if refused := strings.Contains(got, "it was replaced"); refused != (i > 1) || strings.Contains(got, "FOREIGN") {
						t.Errorf("%s: %s", call, got)
					}
				}
				for _, dir := range []string{"work", "other"} {
					if _, err := os.Stat(filepath.Join(s.session.Dir, dir, "new.txt")); err == nil {
						t.Errorf("a file was written in %s", dir)
					}
				}
				s.run("again")
				if got := s.resultSent("100"); strings.Contains(got, "FOREIGN") != (name == "by another directory") || strings.Contains(got, "it was replaced") != (name == "by a link") {
					t.Errorf("in the next turn: %s", got)
				}
			})
		})
	}
}
