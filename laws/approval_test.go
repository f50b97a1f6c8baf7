package laws_test

import (
	"context"
	"flag"
	"slices"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// CI runs 10,000.
var races = flag.Int("races", 100, "how often an answer races a stop")

// Law 30: an answer and a stop at the same moment have one winner, both get the
// correct result, and neither call hangs.
func TestLaw30_AnswerRacesStop_HasOneWinner(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	s := bareStage(t, agentFunc(func(ctx context.Context, w *hub.Work) error {
		asked <- "q"
		choice, err := w.Ask(ctx, bellcord.Question{ID: "q", Text: "May I?"})
		if err == nil {
			return w.Emit(bellcord.TextDelta{Text: choice})
		}
		return err
	}), hub.Options{})
	won := map[string]int{}
	rounds := 0
	for ; rounds < *races || rounds < 100**races && (won["answer"] == 0 || won["stop"] == 0); rounds++ {
		turn := s.send("", "go")
		<-asked
		var answered error
		sides := []func(){
			func() { answered = s.Answer(turn.ID, "q", "yes", "bert") },
			func() { s.Stop(bellcord.StopTurn(turn.ID, by)) },
		}
		var both sync.WaitGroup
		both.Go(sides[rounds%2]) // the goroutine started last usually runs first
		both.Go(sides[1-rounds%2])
		both.Wait()
		<-turn.Settled()
		r := turn.Receipt()
		if r.End != bellcord.EndStopped && answered != nil {
			t.Fatalf("answer %v, and yet %+v", answered, r)
		}
		// An open question is either closed by the stop or answered. A question
		// that the turn had not opened before the stop is neither.
		closed := slices.Contains(r.WithdrawnQuestions, "q")
		if closed && answered == nil {
			t.Fatalf("answered and closed: %+v", r)
		}
		switch {
		case answered == nil:
			won["answer"]++
		case closed:
			won["stop"]++
		default:
			won["stop, before it was asked"]++
		}
		if err := s.Answer(turn.ID, "q", "yes", "late"); err == nil {
			t.Fatal("a late answer was taken")
		}
	}
	t.Logf("%d races, no hang; won by: %v", rounds, won)
	if won["answer"] == 0 || won["stop"] == 0 {
		t.Errorf("this was no race: one side has never won: %v", won)
	}
}
