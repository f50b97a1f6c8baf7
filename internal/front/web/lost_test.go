package web_test

import (
	"net/http"
	"os"
	"runtime"
	"testing"

	"github.com/bellcord/bellcord/api"
)

// A server with a deleted database is not ready and accepts no turns: they
// would be lost at the next start.
func TestServer_DatabaseDeletedWhileRunning_IsNotReadyAndRefusesPrompts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps open files in their place")
	}
	s := newStage(t, nil)
	session, _ := s.session("anna")
	path := s.data + "/bellcord.db"
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	s.readiness(http.StatusServiceUnavailable)
	for at, body := range map[string]any{"/v1/sessions": nil, session + "/turns": api.NewTurn{Text: "hello"}} {
		a := s.roundTrip("anna", http.MethodPost, at, body)
		a.isA(http.StatusServiceUnavailable, "store-unavailable")
		if a.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", at)
		}
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	s.readiness(http.StatusOK)
	s.roundTrip("anna", http.MethodPost, "/v1/sessions", nil).is(http.StatusCreated)
}

// readiness waits until /readyz returns the status.
func (s *stage) readiness(status int) {
	s.t.Helper()
	for last := 0; last != status; {
		if s.t.Context().Err() != nil {
			s.t.Fatalf("/readyz stays %d", last)
		}
		last = s.roundTrip("", http.MethodGet, "/readyz", nil).status
	}
}
