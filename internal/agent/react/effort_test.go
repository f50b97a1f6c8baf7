package react_test

import (
	"testing"

	"github.com/bellcord/bellcord"
)

func TestEffort_OfTheSession_IsInTheRequests(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{{text: "ok"}, {text: "ok"}, {text: "ok"}}}
	onStage(t, m, "ask", none, func(t *testing.T, s *stage) {
		for i, c := range []struct{ set, want string }{{"", ""}, {"high", "high"}, {bellcord.DefaultEffort, ""}} {
			if _, err := s.Configure(s.session.ID, bellcord.SessionUpdated{Effort: c.set}); err != nil {
				t.Fatal(err)
			}
			s.run("go")
			if got := m.requests[i].Effort; got != c.want {
				t.Errorf("effort %q of the session: the request has %q, want %q", c.set, got, c.want)
			}
		}
	})
}
