package react_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
)

func TestTitle_FirstTurn_NamesSessionWithoutBlockingTurn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		title answer
		turn  time.Duration // how long the answer takes
		want  string
		takes time.Duration
	}{
		"in time":                         {answer{text: "\"Taking out the trash.\"\nIt is about trash."}, 10 * time.Second, "Taking out the trash", 10 * time.Second},
		"a moment after the answer":       {answer{text: "Trash", waits: 10500 * time.Millisecond}, 10 * time.Second, "Trash", 10500 * time.Millisecond},
		"too late: it is not waited for":  {answer{text: "Trash", waits: time.Minute}, 10 * time.Second, "take out the trash", 11 * time.Second},
		"not at all: nobody is the worse": {answer{fails: errors.New("no titles today")}, 10 * time.Second, "take out the trash", 10 * time.Second},
		"with too many words":             {answer{text: strings.Repeat("word ", 40)}, time.Second, strings.Repeat("word ", 11) + "word…", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &model{title: c.title, script: []answer{{text: "done", waits: c.turn}, {text: "more"}}}
			onStage(t, m, "full", none, func(t *testing.T, s *stage) {
				s.agent.Titles = "fake/titles"
				began := time.Now()
				r := s.run("take out the trash")
				if r.End != bellcord.EndDone || time.Since(began) != c.takes {
					t.Errorf("ended %s after %v", r.End, time.Since(began))
				}
				got, err := s.Session(t.Context(), s.session.ID)
				if err != nil || got.Title != c.want {
					t.Errorf("the title is %q, %v", got.Title, err)
				}
				for _, spent := range r.UsageByModel { // a request that was never sent costs nothing
					if free := spent.Model == "fake/titles" && c.title.fails != nil; len(r.UsageByModel) != 2 || (spent.InputTokens == 0) != free {
						t.Errorf("spent %+v", r.UsageByModel)
					}
				}
				s.run("and again")
				if len(m.titled) != 1 {
					t.Errorf("asked for a title %d times", len(m.titled))
				}
			})
		})
	}
}

func TestTitle_StoppedTurn_NeitherDelaysNorOutlivesStop(t *testing.T) {
	t.Parallel()
	m := &model{title: answer{text: "Late", waits: time.Minute}, script: []answer{{text: "x", waits: time.Minute}}}
	onStage(t, m, "full", none, func(t *testing.T, s *stage) {
		s.agent.Titles = "fake/titles"
		turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Text: "take out the trash"})
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(7 * time.Second)
		s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "anna"}))
		<-turn.Settled()
		r := turn.Receipt()
		if took := r.Times.Settled.Sub(r.Times.StopRequested); took != 0 || len(r.UsageByModel) != 2 || r.Usage.Exact {
			t.Errorf("settled after %v; spent %+v", took, r.UsageByModel)
		}
		<-time.After(2 * time.Minute)
		synctest.Wait()
		if got, _ := s.Session(t.Context(), s.session.ID); got.Title != "take out the trash" {
			t.Errorf("the title is %q", got.Title)
		}
	})
}
