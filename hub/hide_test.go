package hub_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store/sqlite"
)

// failing is an agent in which everything fails with the key in its text.
type failing struct{}

func (failing) Run(_ context.Context, w *hub.Work) error {
	return errors.Join(
		w.Emit(bellcord.ModelRetryScheduled{Attempt: 1, Reason: "refused KEY"}),
		w.Emit(bellcord.ToolCallRequested{Call: "c", Name: "mcp_x_y", Arguments: []byte(`{}`)}),
		w.Emit(bellcord.ToolCallStarted{Call: "c"}),
		w.Emit(bellcord.ToolCallEnded{Call: "c", Outcome: bellcord.CallFinished, Failed: true, Result: "error: KEY"}),
		w.Emit(bellcord.TextDelta{Text: "the model says KEY"}),
		errors.New("no: KEY"))
}

func TestHub_FailuresContainSecrets_AreRecordedWithoutThem(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	hub, err := hub.Open(t.Context(), store, failing{}, hub.Options{Hide: func(text string) string { return strings.ReplaceAll(text, "KEY", "…") }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hub.Close(context.Background()) }()
	session, err := hub.NewSession(t.Context(), bellcord.Session{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := hub.Prompt(session.ID, bellcord.Prompt{Text: "KEY of a person"})
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Settled()
	if receipt := turn.Receipt(); receipt.Error != "no: …" {
		t.Errorf("receipt %q", receipt.Error)
	}
	events, err := store.Events(t.Context(), session.ID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		switch b := ev.Body.(type) {
		case bellcord.ModelRetryScheduled:
			if b.Reason != "refused …" {
				t.Errorf("retrying: %q", b.Reason)
			}
		case bellcord.ToolCallEnded:
			if b.Result != "error: …" {
				t.Errorf("the call: %q", b.Result)
			}
		case bellcord.TurnEnded:
			if b.Receipt.Error != "no: …" {
				t.Errorf("the end: %q", b.Receipt.Error)
			}
		case bellcord.TextDelta:
			if b.Text != "the model says KEY" { // conversation text is not changed
				t.Errorf("said: %q", b.Text)
			}
		}
	}
}
