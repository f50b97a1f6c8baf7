package memory_test

import (
	"context"
	"testing"

	"github.com/bellcord/bellcord"
	memory "github.com/bellcord/bellcord/examples/store"
	"github.com/bellcord/bellcord/hub"
)

// sleeper is an agent that works until it is stopped.
type sleeper struct{}

// Run implements hub.Agent.
func (sleeper) Run(ctx context.Context, _ *hub.Work) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestStop_FromOtherHub_StopsTurn(t *testing.T) {
	t.Parallel()
	shared := memory.New()
	open := func() *hub.Hub {
		h, err := hub.Open(t.Context(), shared.Open(), sleeper{}, hub.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = h.Close(context.Background()) })
		return h
	}
	runs, stops := open(), open()
	session, err := runs.NewSession(t.Context(), bellcord.Session{})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := runs.Accept(t.Context(), session.ID, bellcord.Prompt{Text: "sleep"})
	if err != nil {
		t.Fatal(err)
	}
	answers, err := stops.Stop(bellcord.StopTurn(turn, bellcord.Cause{Kind: bellcord.CausePerson, By: "anna"})).Wait(t.Context())
	if err != nil || len(answers) != 1 {
		t.Fatalf("%d answers, error %v", len(answers), err)
	}
	if r := answers[0].Receipt; r == nil || r.End != bellcord.EndStopped || r.Cause.By != "anna" {
		t.Errorf("answer %+v, receipt %+v", answers[0], r)
	}
}
