package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store"
)

var sessionChecks = []check{
	{"a session comes back as it was put, and as it was put last", sessionKept},
	{"an update of a session keeps what another process has changed", sessionUpdatedByTwo},
	{"sessions are listed by their last update, newest first, by directory, page and limit", sessionsListed},
	{"a prompt and an end move their session to the top", sessionsMoved},
	{"a deleted session leaves nothing behind and the others alone", sessionDeleted},
	{"the texts of a session are read without its other events", textsRead},
	{"what nobody put is not there", nothingThere},
}

func sessionKept(b *bench) {
	n, reader := b.node(), b.node()
	at := now()
	want := bellcord.Session{ID: bellcord.NewSessionID(), Dir: "/a dir", Title: awkward, AutoTitle: true, Agent: "goose", Model: "p/m", Mode: "ask", AdditionalDirs: []string{"/b", "/" + awkward}, Effort: "high", Created: at, Updated: at}
	n.ok(store.PutSession{Session: want})
	sameSession(b, reader, want)
	want.Title, want.Mode, want.Updated = "new", "full", at.Add(time.Second)
	n.ok(store.PutSession{Session: want})
	sameSession(b, reader, want)
	was := want
	want.AdditionalDirs, want.Effort, want.AutoTitle = nil, "low", false
	n.ok(store.PutSession{Session: want, Was: was, Existing: true})
	sameSession(b, reader, want)
}

// sessionUpdatedByTwo checks that two processes with an old state of a session
// do not undo each other's changes.
func sessionUpdatedByTwo(b *bench) {
	first, second := b.node(), b.node()
	at := now()
	was := bellcord.Session{ID: bellcord.NewSessionID(), Dir: "/", Title: "t", Model: "p/m", Mode: "full", Created: at, Updated: at}
	first.ok(store.PutSession{Session: was})
	mode, model := was, was
	mode.Mode, model.Model = "read-only", "p/other"
	first.ok(store.PutSession{Session: mode, Was: was, Existing: true})
	second.ok(store.PutSession{Session: model, Was: was, Existing: true})
	want := was
	want.Mode, want.Model = "read-only", "p/other"
	sameSession(b, first, want)
}

func sameSession(b *bench, n *node, want bellcord.Session) {
	b.Helper()
	got, err := n.Session(b.Context(), want.ID)
	if err != nil {
		b.Fatal(err)
	}
	if !got.Created.Equal(want.Created) || !got.Updated.Equal(want.Updated) {
		b.Errorf("times %v and %v, want %v and %v", got.Created, got.Updated, want.Created, want.Updated)
	}
	if got.Created, got.Updated = want.Created, want.Updated; !reflect.DeepEqual(got, want) {
		b.Errorf("the session is %+v, want %+v", got, want)
	}
}

func sessionsListed(b *bench) {
	n := b.node()
	start := now()
	for _, i := range []int{3, 0, 4, 1, 2} {
		at := start.Add(time.Duration(i) * time.Second)
		s := bellcord.Session{ID: bellcord.SessionID(fmt.Sprint("s", i)), Dir: fmt.Sprint("/dir", i%2), Created: start, Updated: at}
		n.ok(store.PutSession{Session: s})
	}
	third := start.Add(3 * time.Second)
	for _, c := range []struct {
		query store.SessionQuery
		want  []string
	}{
		{store.SessionQuery{}, []string{"s4", "s3", "s2", "s1", "s0"}},
		{store.SessionQuery{Limit: 2}, []string{"s4", "s3"}},
		{store.SessionQuery{Before: third, Limit: 2}, []string{"s2", "s1"}},
		{store.SessionQuery{Before: start}, nil},
		{store.SessionQuery{Dir: "/dir1"}, []string{"s3", "s1"}},
		{store.SessionQuery{Dir: "/dir1", Before: third}, []string{"s1"}},
		{store.SessionQuery{Dir: "/dir"}, nil},
	} {
		if got := listed(b, n, c.query); !slices.Equal(got, c.want) {
			b.Errorf("%+v lists %v, want %v", c.query, got, c.want)
		}
	}
}

func listed(b *bench, n *node, query store.SessionQuery) (ids []string) {
	b.Helper()
	sessions, err := n.Sessions(b.Context(), query)
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range sessions {
		ids = append(ids, string(s.ID))
	}
	return ids
}

func sessionsMoved(b *bench) {
	n := b.node()
	old, young := n.session(), n.session()
	top := func(want bellcord.SessionID, after string) {
		b.Helper()
		if ids := listed(b, n, store.SessionQuery{Limit: 1}); ids[0] != string(want) {
			b.Errorf("after %s the session is not at the top", after)
		}
	}
	top(young, "its creation")
	t := n.running(old)
	top(old, "a prompt")
	n.queued(young)
	top(young, "a later prompt")
	n.ok(t.ends(bellcord.EndDone))
	top(old, "an end")
}

func sessionDeleted(b *bench) {
	n, other := b.node(), b.node()
	deleted, stays := n.session(), n.session()
	t, kept := n.running(deleted), n.running(stays)
	waits := n.queued(deleted)
	n.ok(store.DeleteSession{ID: deleted})
	n.ok(store.DeleteSession{ID: deleted})
	if _, err := other.Session(b.Context(), deleted); !errors.Is(err, bellcord.ErrNoSession) {
		b.Errorf("reading the session: %v", err)
	}
	for _, id := range []bellcord.TurnID{t.turn, waits} {
		if _, err := other.Turn(b.Context(), id); !errors.Is(err, bellcord.ErrNoTurn) {
			b.Errorf("reading its turn: %v", err)
		}
	}
	n.refused(t.appendTexts(1, "late"), store.ErrFenced)
	n.refused(t.ends(bellcord.EndDone), store.ErrFenced)
	n.refused(claim(deleted, waits), store.ErrFenced)
	n.refused(accept(deleted), bellcord.ErrNoSession)
	if events := other.log(deleted); len(events) > 0 {
		b.Errorf("events remain: %v", kinds(events))
	}
	n.ok(kept.appendTexts(1, "still here"))
}

func nothingThere(b *bench) {
	n := b.node()
	if _, err := n.Session(b.Context(), bellcord.NewSessionID()); !errors.Is(err, bellcord.ErrNoSession) {
		b.Errorf("an unknown session: %v", err)
	}
	if _, err := n.Turn(b.Context(), bellcord.NewTurnID()); !errors.Is(err, bellcord.ErrNoTurn) {
		b.Errorf("an unknown turn: %v", err)
	}
	lost := bellcord.NewSessionID()
	n.refused(accept(lost), bellcord.ErrNoSession)
	if events := n.log(lost); len(events) > 0 {
		b.Errorf("the refused turn left %v", kinds(events))
	}
}

func textsRead(b *bench) {
	n := b.node()
	reader, reads := n.Node.(serverstore.TextReader)
	if !reads {
		b.Skip("the store is not a TextReader")
	}
	session, turn := n.session(), bellcord.NewTurnID()
	n.ok(store.AcceptTurn{Session: session, Turn: turn, Prompt: bellcord.Prompt{Text: awkward}, At: now()})
	n.ok(store.EditTurn{Session: session, Turn: turn, Text: "edited", At: now()})
	fence := n.ok(store.ClaimTurn{Session: session, Turn: turn, At: now()}).Fence
	n.ok(store.AppendEvents{Session: session, Turn: turn, Fence: fence, N: 1, At: now(), Bodies: []bellcord.Body{
		bellcord.ThinkingDelta{Text: "hm"}, bellcord.TextDelta{Text: "a"}, bellcord.ToolOutputDelta{Text: "out"}, bellcord.TextDelta{Text: awkward},
	}})
	all, err := n.Events(b.Context(), session, 0, 100)
	if err != nil {
		b.Fatal(err)
	}
	want := slices.DeleteFunc(all, func(ev bellcord.Event) bool { return !slices.Contains(serverstore.TextKinds(), ev.Body.Kind()) })
	if len(want) != 4 {
		b.Fatalf("%d events have text", len(want))
	}
	for _, limit := range []int{100, 4, 2} {
		got, err := reader.TextEvents(b.Context(), session, limit)
		if err != nil || !reflect.DeepEqual(got, want[max(0, 4-limit):]) {
			b.Errorf("the last %d: %+v, %v", limit, got, err)
		}
	}
	if got, err := reader.TextEvents(b.Context(), bellcord.NewSessionID(), 10); err != nil || len(got) != 0 {
		b.Errorf("an unknown session has %+v, %v", got, err)
	}
}
