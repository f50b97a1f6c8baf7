package laws_test

import (
	"context"
	"encoding/json"
	"flag"
	"reflect"
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
	for name, c := range map[string]struct {
		question bellcord.Question
		reply    bellcord.Reply
	}{
		"choice": {bellcord.Question{ID: "q", Text: "May I?"}, bellcord.Reply{Choice: "yes"}},
		"form": {
			bellcord.Question{ID: "q", Text: "Where?", Fields: []bellcord.Field{{Name: "env", Type: bellcord.FieldString, Required: true}}},
			bellcord.Reply{Choice: bellcord.ChoiceAccept, Values: map[string]json.RawMessage{"env": json.RawMessage(`"dev"`)}},
		},
		"url": {bellcord.Question{ID: "q", Text: "Log in", URL: "https://login.example"}, bellcord.Reply{Choice: bellcord.ChoiceAccept}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answerRacesStop(t, c.question, c.reply)
		})
	}
}

// answerRacesStop answers and stops at the same moment, until both have won.
func answerRacesStop(t *testing.T, question bellcord.Question, reply bellcord.Reply) {
	t.Helper()
	opened := make(chan string, 1)
	s := bareStage(t, agentFunc(func(ctx context.Context, w *hub.Work) error {
		opened <- "q"
		got, err := w.AskForm(ctx, question)
		if err == nil && !reflect.DeepEqual(got, reply) {
			t.Errorf("answered %+v, received %+v", reply, got)
		}
		if err == nil {
			return w.Emit(bellcord.TextDelta{Text: got.Choice})
		}
		return err
	}), hub.Options{})
	won := map[string]int{}
	rounds := 0
	for ; rounds < *races || rounds < 100**races && (won["answer"] == 0 || won["stop"] == 0); rounds++ {
		turn := s.send("", "go")
		<-opened
		var answered error
		sides := []func(){
			func() { answered = s.Answer(turn.ID, "q", reply, "bert") },
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
		if err := s.Answer(turn.ID, "q", reply, "late"); err == nil {
			t.Fatal("a late answer was taken")
		}
	}
	t.Logf("%d races, no hang; won by: %v", rounds, won)
	if won["answer"] == 0 || won["stop"] == 0 {
		t.Errorf("this was no race: one side has never won: %v", won)
	}
}
