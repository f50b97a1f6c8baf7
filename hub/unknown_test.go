package hub_test

import (
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

func TestEvents_UnknownOrDeletedSession_IsErrNoSession(t *testing.T) {
	t.Parallel()
	f := open(t, script(streamWords), hub.Options{})
	if err := f.DeleteSession(t.Context(), f.session, bellcord.Cause{Kind: bellcord.CausePerson}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []bellcord.SessionID{bellcord.NewSessionID(), f.session} {
		if _, err := f.Events(t.Context(), id, 0); !errors.Is(err, bellcord.ErrNoSession) {
			t.Errorf("got %v", err)
		}
	}
}

// Another process created the session, and nothing has happened in it.
func TestEvents_SessionWithoutEvents_IsFollowed(t *testing.T) {
	t.Parallel()
	var kept store.Store
	f := openOver(t, t.TempDir(), script(streamWords), hub.Options{}, func(s store.Store) store.Store {
		kept = s
		return s
	})
	other := bellcord.Session{ID: bellcord.NewSessionID(), Dir: t.TempDir()}
	if _, err := kept.Commit(t.Context(), []store.Op{store.PutSession{Session: other}}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []bellcord.SessionID{other.ID, f.session} {
		c, err := f.Events(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
}

func TestPrompt_IDIsNoUUID_IsErrBadID(t *testing.T) {
	t.Parallel()
	f := open(t, script(streamWords), hub.Options{})
	for _, id := range []bellcord.TurnID{"1", "01A1F1EA-E797-7D8D-B6ED-6BE1913311F5", "a\x00b", "\xff"} {
		if _, err := f.Prompt(f.session, bellcord.Prompt{Turn: id, Text: "x"}); !errors.Is(err, bellcord.ErrBadID) {
			t.Errorf("%s: %v", id, err)
		}
	}
}
