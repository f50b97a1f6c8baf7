package postgres_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// A string that PostgreSQL cannot store as text must not make a whole commit
// fail, because the commit contains ops of many turns and is retried forever.
func TestWord_InvalidText_RoundTripsWithoutBlockingOtherSessions(t *testing.T) {
	t.Parallel()
	s := openWith(t, place(t), postgres.Options{})
	innocent := session(t, s)
	for _, odd := range []string{"zero\x00byte", "not\xffUTF-8", "\x01begins like an escape", "\x01\"quoted\"", "ü漢🔔", "\x00"} {
		want := bellcord.Session{
			ID: bellcord.SessionID("id" + odd), Dir: "/" + odd, Owner: odd, Title: odd, Agent: odd, Model: odd, Mode: odd, Effort: odd,
			Created: time.Unix(0, 1), Updated: time.Unix(0, 2),
		}
		a := accept(want.ID)
		a.Turn, a.At = bellcord.TurnID("turn"+odd), time.Unix(0, 2)
		args := bellcord.ToolCallRequested{Call: odd, Arguments: json.RawMessage(`{"a":"` + "\xff" + `"}`)}
		ok(t, s, store.PutSession{Session: want}, a, claim(a), note(innocent, "innocent"),
			store.AppendEvents{Session: want.ID, Turn: a.Turn, Fence: 1, N: 1, Bodies: []bellcord.Body{args}, At: a.At},
			store.RecordStop{Turn: a.Turn, Owner: odd, Cause: bellcord.Cause{By: odd, At: a.At}},
			store.RecordStop{Turn: a.Turn + "other", Owner: odd, Cause: bellcord.Cause{By: odd, At: a.At}})
		end := finish(a, 1, bellcord.EndStopped)
		end.At = a.At
		end.Receipt.UsageByModel = []bellcord.ModelUsage{{Model: odd, Usage: bellcord.Usage{InputTokens: 1}}}
		ok(t, s, end)
		if got, err := s.Session(t.Context(), want.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", odd, got, err)
		}
		if all, err := s.Sessions(t.Context(), store.SessionQuery{Dir: want.Dir, Owner: odd}); err != nil || len(all) != 1 {
			t.Errorf("%q: listed %v, %v", odd, all, err)
		}
		if spent, err := s.Spending(t.Context(), store.SpendingQuery{Owner: odd}); err != nil || len(spent) != 1 || spent[0].Model != odd {
			t.Errorf("%q: spent %v, %v", odd, spent, err)
		}
		if got := kinds(t, s, want.ID); len(got) != 5 {
			t.Errorf("%q: the log is %v", odd, got)
		}
	}
	if _, err := s.Session(t.Context(), "\x00"); !errors.Is(err, bellcord.ErrNoSession) {
		t.Errorf("a session that nobody made: %v", err)
	}
}
