package react_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// instructionsIn returns the files whose instructions the last request has, in
// order.
func instructionsIn(m *model) string {
	var files []string
	for _, sent := range m.requests[len(m.requests)-1].Messages {
		if rest, is := strings.CutPrefix(sent.Text, "[Bellcord: instructions for the directory of "); is && sent.Role == bellcord.RoleUser {
			name, _, _ := strings.Cut(rest, "]")
			files = append(files, name)
		}
	}
	return strings.Join(files, " ")
}

func fileTools(*stage) []tool.Tool {
	return []tool.Tool{tool.ReadFile(), tool.WriteFile(), tool.ListDir()}
}

func TestNested_FileIsTouched_AddsInstructionsOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tool, args string
		want             string
	}{
		{"read", "read_file", `{"path":"a/b/x.txt"}`, "a/AGENTS.md a/b/CLAUDE.md"},
		{"write", "write_file", `{"path":"a/new/y.txt","content":"y"}`, "a/AGENTS.md"},
		{"a file of the working directory", "read_file", `{"path":"x.txt"}`, ""},
		{"a file that is missing", "read_file", `{"path":"a/b/missing.txt"}`, ""},
		{"a list", "list_dir", `{"path":"a/b"}`, ""},
		{"a dependency", "read_file", `{"path":"node_modules/p/x.txt"}`, ""},
		{"the instructions themselves", "read_file", `{"path":"a/AGENTS.md"}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := &model{script: []answer{step(1, test.tool, test.args), step(2, test.tool, test.args), {text: "done"}, step(3, test.tool, test.args), {text: "done"}}}
			onStage(t, m, "full", fileTools, func(t *testing.T, s *stage) {
				dir := s.session.Dir
				for path, text := range map[string]string{
					"x.txt": "x", "a/b/x.txt": "x", "node_modules/p/x.txt": "x", "AGENTS.md": "own", "a/AGENTS.md": "OUTER", "a/b/CLAUDE.md": "INNER",
					"node_modules/p/AGENTS.md": "FOREIGN",
				} {
					put(t, filepath.Join(dir, path), text)
				}
				s.run("go")
				if got := instructionsIn(m); got != test.want {
					t.Errorf("the instructions are of %q, want %q", got, test.want)
				}
				s.run("again")
				if got := instructionsIn(m); got != test.want {
					t.Errorf("after a second turn they are of %q, want %q", got, test.want)
				}
				if sent := fmt.Sprint(m.requests[len(m.requests)-1].Messages); strings.Contains(sent, "OUTER") != (strings.Contains(test.want, "a/AGENTS.md") || strings.Contains(test.args, "AGENTS")) {
					t.Errorf("sent %s", sent)
				}
			})
		})
	}
}

func TestNested_LongFiles_AreBounded(t *testing.T) {
	t.Parallel()
	var script []answer
	for i := range 10 {
		script = append(script, step(i, "read_file", fmt.Sprintf(`{"path":"d%d/x.txt"}`, i)))
	}
	m := &model{script: script}
	onStage(t, m, "full", fileTools, func(t *testing.T, s *stage) {
		s.agent.System = "Work."
		for i := range 10 {
			put(t, filepath.Join(s.session.Dir, fmt.Sprintf("d%d/AGENTS.md", i)), strings.Repeat("rule ", 10_000))
			put(t, filepath.Join(s.session.Dir, fmt.Sprintf("d%d/x.txt", i)), "x")
		}
		s.run("go")
		size := 0
		for _, ev := range s.log() {
			if b, is := ev.Body.(bellcord.ContextAdded); is {
				size += len(b.Text)
			}
		}
		if size > 70<<10 || size < 40<<10 || !strings.Contains(fmt.Sprint(m.requests), "[the rest of the file is omitted]") {
			t.Errorf("%d bytes of instructions", size)
		}
	})
}
