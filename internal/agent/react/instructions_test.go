package react_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

func link(t *testing.T, target, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, at); err != nil {
		t.Skip("links cannot be created: ", err)
	}
}

// A repository must not choose what a model reads before any tool is called.
func TestInstructions_FileLeadsElsewhere_IsIgnoredWithANote(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(t *testing.T, top, dir string){
		"a link out of the project": func(t *testing.T, _, dir string) { t.Helper(); link(t, "../../../secret/key", dir+"/AGENTS.md") },
		"an absolute link":          func(t *testing.T, top, dir string) { t.Helper(); link(t, top+"/secret/key", dir+"/AGENTS.md") },
		"the other name":            func(t *testing.T, _, dir string) { t.Helper(); link(t, "../../../secret/key", dir+"/CLAUDE.md") },
		"through a directory": func(t *testing.T, top, dir string) {
			t.Helper()
			link(t, top+"/secret", dir+"/d")
			link(t, "d/AGENTS.md", dir+"/AGENTS.md")
		},
		"a file of another name": func(t *testing.T, _, dir string) {
			t.Helper()
			put(t, dir+"/.env", "SECRET")
			link(t, ".env", dir+"/AGENTS.md")
		},
		"in a parent": func(t *testing.T, _, dir string) {
			t.Helper()
			link(t, "../../secret/key", filepath.Dir(dir)+"/AGENTS.md")
		},
		"in a parent, to a sibling": func(t *testing.T, _, dir string) {
			t.Helper()
			put(t, filepath.Dir(dir)+"/.env", "SECRET")
			link(t, ".env", filepath.Dir(dir)+"/CLAUDE.md")
		},
		"Bellcord's own file": func(t *testing.T, _, dir string) {
			t.Helper()
			put(t, dir+"/data/AGENTS.md", "SECRET")
			link(t, "data/AGENTS.md", dir+"/AGENTS.md")
		},
		"a directory": func(t *testing.T, _, dir string) { t.Helper(); put(t, dir+"/AGENTS.md/AGENTS.md", "SECRET") },
		"a file that a rule denies": func(t *testing.T, _, dir string) {
			t.Helper()
			put(t, dir+"/denied/AGENTS.md", "SECRET")
			link(t, "denied/AGENTS.md", dir+"/AGENTS.md")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &model{script: []answer{{text: "ok"}, {text: "ok"}}}
			onStage(t, m, "ask", none, func(t *testing.T, s *stage) {
				top := s.session.Dir
				dir := filepath.Join(top, "repo", "pkg", "sub")
				put(t, filepath.Join(top, "repo", ".git", "HEAD"), "ref")
				put(t, filepath.Join(top, "secret", "key"), "SECRET")
				put(t, filepath.Join(top, "secret", "AGENTS.md"), "SECRET")
				put(t, filepath.Join(dir, "x"), "")
				lay(t, top, dir)
				policy, err := permit.NewPolicy(nil, []string{"read_file(denied/*)"}, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				s.agent.Private = workspace.Private{Paths: []string{filepath.Join(dir, "data")}, Denies: policy.Denies}
				if _, err := s.Configure(s.session.ID, bellcord.SessionUpdated{Dir: dir}); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if r := s.run("hi"); r.End != bellcord.EndDone {
						t.Fatalf("%+v", r)
					}
				}
				if sent := fmt.Sprint(m.requests); strings.Contains(sent, "SECRET") {
					t.Errorf("the model was sent %s", sent)
				}
				notes := 0
				for _, ev := range s.log() {
					if b, is := ev.Body.(bellcord.ContextAdded); is && b.Reason == "instructions" && strings.Contains(b.Text, "are not used: ") {
						notes++
					}
				}
				if notes != 1 {
					t.Errorf("%d notes: %+v", notes, s.log())
				}
			})
		})
	}
}

func TestInstructions_LinkToAnotherInstructionFile_IsFollowed(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(t *testing.T, dir string){
		"CLAUDE.md": func(t *testing.T, dir string) {
			t.Helper()
			put(t, dir+"/agent.md", "RULES")
			link(t, "agent.md", dir+"/CLAUDE.md")
		},
		"in a directory": func(t *testing.T, dir string) {
			t.Helper()
			put(t, dir+"/docs/AGENTS.md", "RULES")
			link(t, "docs/AGENTS.md", dir+"/AGENTS.md")
		},
		"in a hidden one": func(t *testing.T, dir string) {
			t.Helper()
			put(t, dir+"/.github/copilot-instructions.md", "RULES")
			link(t, ".github/copilot-instructions.md", dir+"/AGENTS.md")
		},
		"after an unused one": func(t *testing.T, dir string) {
			t.Helper()
			put(t, dir+"/CLAUDE.md", "RULES")
			link(t, "/etc/hostname", dir+"/AGENTS.md")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &model{script: []answer{{text: "ok"}}}
			onStage(t, m, "ask", none, func(t *testing.T, s *stage) {
				lay(t, s.session.Dir)
				s.run("hi")
				if system := m.requests[0].System; strings.Count(system, "RULES") != 1 {
					t.Errorf("the system prompt is %s", system)
				}
			})
		})
	}
}

func TestNested_LinkToAFileOfAnotherName_IsNotAdded(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{step(1, "read_file", `{"path":"a/x.txt"}`), {text: "done"}}}
	onStage(t, m, "full", fileTools, func(t *testing.T, s *stage) {
		put(t, filepath.Join(s.session.Dir, "a", "x.txt"), "x")
		put(t, filepath.Join(s.session.Dir, ".env"), "SECRET")
		link(t, "../.env", filepath.Join(s.session.Dir, "a", "AGENTS.md"))
		put(t, filepath.Join(s.session.Dir, "a", "CLAUDE.md"), "RULES")
		s.run("go")
		if sent := fmt.Sprint(m.requests); strings.Contains(sent, "SECRET") || !strings.Contains(sent, "RULES") {
			t.Errorf("sent %s", sent)
		}
	})
}
