//go:build unix

package react_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestInstructions_Pipe_DoesNotBlockTheTurn(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{{text: "ok"}}}
	onStage(t, m, "ask", none, func(t *testing.T, s *stage) {
		pipe := filepath.Join(s.session.Dir, "own.md")
		for _, path := range []string{filepath.Join(s.session.Dir, "AGENTS.md"), pipe} {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if r := s.run("hi"); r.End != bellcord.EndDone {
			t.Errorf("%+v", r)
		}
		s.agent.Instructions = []string{pipe}
		if r := s.run("hi"); r.End != bellcord.EndFailed {
			t.Errorf("%+v", r)
		}
	})
}
