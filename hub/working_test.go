package hub_test

import (
	"context"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

func TestWorking_ReaderHasSeenTheEnd_IsFalseAndARewindIsAccepted(t *testing.T) {
	t.Parallel()
	h := open(t, script(func(context.Context, *hub.Work) error { return nil }), hub.Options{})
	events, err := h.Events(t.Context(), h.session, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	for range 100 {
		turn := h.prompt("go")
		for ended := false; !ended; {
			next, err := events.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, ev := range next {
				_, end := ev.Body.(bellcord.TurnEnded)
				ended = ended || end
			}
		}
		if h.Working(h.session) {
			t.Fatal("the turn is working after its end was read")
		}
		if _, err := h.Rewind(t.Context(), h.session, turn.ID); err != nil {
			t.Fatalf("rewind after the end was read: %v", err)
		}
	}
}

func TestWorking_AgentRuns_IsTrue(t *testing.T) {
	t.Parallel()
	running := make(chan struct{})
	h := open(t, script(func(ctx context.Context, _ *hub.Work) error {
		close(running)
		<-ctx.Done()
		return context.Cause(ctx)
	}), hub.Options{})
	if h.Working(h.session) {
		t.Error("working before the first prompt")
	}
	turn := h.prompt("go")
	<-running
	if !h.Working(h.session) {
		t.Error("not working while the agent runs")
	}
	h.stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson}))
	if h.Working(h.session) {
		t.Error("working after the stop")
	}
}
