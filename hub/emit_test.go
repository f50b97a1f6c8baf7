package hub_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// progress is an event type of a program that uses this package.
type progress struct{ bellcord.TextDelta }

func (progress) Kind() string { return "my_progress" }

func TestEmit_NilOrForeignBody_FailsAndRecordsNothing(t *testing.T) {
	t.Parallel()
	var refused []error
	h := open(t, script(func(_ context.Context, w *hub.Work) error {
		for _, b := range []bellcord.Body{nil, progress{}, (*progress)(nil), &bellcord.TextDelta{Text: "x"}} {
			refused = append(refused, w.Emit(b))
		}
		return w.Emit(bellcord.TextDelta{Text: "done"})
	}), hub.Options{})
	turn := h.prompt("go")
	<-turn.Settled()
	if r := turn.Receipt(); r.End != bellcord.EndDone || r.EndNotDurable || errors.Join(refused...) == nil || len(refused) != 4 {
		t.Errorf("%+v after %v", r, refused)
	}
	for i, err := range refused {
		if err == nil {
			t.Errorf("body %d was accepted", i)
		}
	}
	cursor, err := h.Events(t.Context(), h.session, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	events, err := cursor.Next(t.Context())
	if err != nil {
		t.Fatalf("the session cannot be read: %v", err)
	}
	for _, ev := range events {
		if err := bellcord.CheckBody(ev.Body); err != nil {
			t.Error(err)
		}
	}
}
