package react_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// modesIn returns the modes of the notes in the last request, in order.
func modesIn(m *model) string {
	var modes []string
	for _, sent := range m.requests[len(m.requests)-1].Messages {
		if mode, is := strings.CutPrefix(sent.Text, "[Bellcord: the permission mode is now "); is && sent.Role == bellcord.RoleUser {
			modes = append(modes, strings.TrimSuffix(mode, "]"))
		}
	}
	return strings.Join(modes, " ")
}

func TestMode_Changed_IsNotedOnceAndSystemPromptStays(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{{text: "a"}, {text: "b"}, {text: "c"}, {text: "d"}, {text: "e"}, {text: "f"}}}
	onStage(t, m, "ask", none, func(t *testing.T, s *stage) {
		turn := func(mode, want string) {
			t.Helper()
			if _, err := s.Configure(s.session.ID, bellcord.SessionUpdated{Mode: mode}); err != nil {
				t.Fatal(err)
			}
			if r := s.run("hi"); r.End != bellcord.EndDone {
				t.Fatalf("ended %s: %s", r.End, r.Error)
			}
			if got := modesIn(m); got != want {
				t.Errorf("mode %s: the notes are %q, want %q", mode, got, want)
			}
		}
		turn("ask", "")
		turn("full", "full")
		turn("full", "full")
		turn("ask", "full ask")
		if _, err := s.Clear(s.session.ID, bellcord.Cause{}); err != nil {
			t.Fatal(err)
		}
		turn("ask", "") // the system prompt names it
		turn("read-only", "read-only")
		for _, req := range m.requests {
			if req.System != m.requests[0].System || !strings.Contains(req.System, "Permission mode: ask,") {
				t.Fatalf("the system prompt is %s", req.System)
			}
		}
	})
}
