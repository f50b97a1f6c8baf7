package laws_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
)

func TestLaw21_StopAtAnyCutPoint_NextPromptIsAccepted(t *testing.T) {
	t.Parallel()
	atEveryCutIn(t, formats, func(t *testing.T, sc scene) {
		sc.done("and now?")
		if r := sc.model.Rejections(); len(r) > 0 {
			t.Errorf("the model rejected: %v", r)
		}
	})
}

func TestLaw22_Repair_IsDeterministicAndOnlyAdds(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		once, twice := sc.history(), sc.history()
		if !reflect.DeepEqual(once, twice) {
			t.Errorf("read twice:\n%v\n%v", once, twice)
		}
		sc.done("and now?")
		later := sc.history()
		if len(later) < len(once) || len(once) > 0 && !reflect.DeepEqual(later[:len(once)], once) {
			t.Errorf("what was there is no longer a prefix:\n%v\n%v", once, later)
		}
	})
}

func TestLaw23_ShownText_IsStored(t *testing.T) {
	t.Parallel()
	atEveryCutIn(t, formats, func(t *testing.T, sc scene) {
		synctest.Wait()
		var shown strings.Builder
		sc.mu.Lock()
		for _, ev := range sc.seen {
			if delta, is := ev.Body.(bellcord.TextDelta); is && ev.Turn == sc.id {
				shown.WriteString(delta.Text)
			}
		}
		sc.mu.Unlock()
		if text := sc.textOf(sc.id); text != shown.String() || int64(len(text)) != sc.receipt.Kept.TextBytes {
			t.Errorf("shown %q, on record %q, kept %d", shown.String(), text, sc.receipt.Kept.TextBytes)
		}
		if sc.text != (shown.Len() > 0) {
			t.Errorf("shown %q", shown.String())
		}
		if history := fmt.Sprint(sc.history()); sc.keeps != "" && !strings.Contains(history, sc.keeps) {
			t.Errorf("%q is not in the history: %s", sc.keeps, history)
		}
	})
}

func TestLaw24_IncompleteCall_IsNotExecuted(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", "[badargs quick]")
		<-turn.Settled()
		if s.ran.of("quick") != 0 || turn.Receipt().End != bellcord.EndDone || len(turn.Receipt().Calls.NotStarted) != 1 {
			s.t.Errorf("ran %d times; %+v", s.ran.of("quick"), turn.Receipt())
		}
		s.done("and now?")
		if r := s.model.Rejections(); len(r) > 0 {
			s.t.Errorf("the model rejected: %v", r)
		}
	})
	for _, on := range grounds(t) {
		for _, from := range on.ways(0) {
			for _, c := range cuts {
				if c.name != "in tool arguments" && c.name != "between call and dispatch" {
					continue
				}
				atCut(t, on.name+"/"+from.name, c, setting{ground: on, format: formats[0], from: from}, func(t *testing.T, sc scene) {
					if sc.ran.of("quick") != 0 {
						t.Error("it ran")
					}
				})
			}
		}
	}
}

func TestLaw25_EveryCall_HasCorrectOutcomeOnReceiptAndInHistory(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		c := sc.receipt.Calls
		if c.Finished != sc.finished || len(c.Stopped) != sc.stopped || len(c.NotStarted) != sc.not || len(c.Unknown) != 0 {
			t.Errorf("the person is told %+v", c)
		}
		results := map[string]int{}
		for _, m := range sc.history() {
			if m.Role != bellcord.RoleTool {
				continue
			}
			switch {
			case strings.Contains(m.Text, "not started"):
				results["not"]++
			case strings.Contains(m.Text, "stopped while running") && strings.Contains(m.Text, "half of the work"):
				results["stopped"]++
			default:
				results["finished"]++
			}
		}
		if results["finished"] != sc.finished || results["stopped"] != sc.stopped || results["not"] != sc.not {
			t.Errorf("the model is told %v", results)
		}
		ran := sc.ran.of("quick") + sc.ran.of("works") + sc.ran.of("guarded") + sc.ran.of("safe")
		if ran != sc.finished+sc.stopped {
			t.Errorf("%d ran", ran)
		}
	})
}

func TestLaw27_Usage_IsExactOrMarkedAsEstimate(t *testing.T) {
	t.Parallel()
	atEveryCutIn(t, formats, func(t *testing.T, sc scene) {
		u := sc.receipt.Usage
		requests := sc.requests
		if sc.name == "queued" {
			requests-- // the request belongs to the other turn
		}
		if requests == 0 {
			if u != (bellcord.Usage{Exact: true}) {
				t.Errorf("nothing was spent, recorded %+v", u)
			}
			return
		}
		if u.InputTokens == 0 {
			t.Errorf("recorded %+v", u)
		}
		cutOff := sc.open || sc.name == "in retry back-off"
		if u.Exact == cutOff {
			t.Errorf("recorded %+v, the model's own number was cut off: %v", u, cutOff)
		}
	})
}

func TestLaw28_ShownEvent_IsDurable(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		turn := s.send("", "[slow 20]")
		cursor, err := s.Events(s.t.Context(), s.session, 0)
		if err != nil {
			s.t.Fatal(err)
		}
		defer cursor.Close()
		for {
			events, err := cursor.Next(s.t.Context())
			if err != nil {
				s.t.Fatal(err)
			}
			for _, ev := range events {
				stored, err := s.store.Events(s.t.Context(), s.session, ev.Seq-1, 1)
				if err != nil || len(stored) != 1 || !reflect.DeepEqual(stored[0].Body, ev.Body) && !kind[bellcord.TurnEnded](ev.Body) {
					s.t.Errorf("shown %+v, stored %+v, %v", ev, stored, err)
				}
				if kind[bellcord.TurnEnded](ev.Body) && ev.Turn == turn.ID {
					return
				}
			}
		}
	})
}

func TestLaw29_QueuedTurns_FollowTheRequestedAction(t *testing.T) {
	t.Parallel()
	for _, fate := range []bellcord.QueueAction{bellcord.QueueHold, bellcord.QueueDrop, bellcord.QueueNext} {
		t.Run(string(fate), func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				running := s.send("", "[hang after 2]")
				s.await(running.ID, emittedText("word2"))
				a, b := s.send("", "[say a]"), s.send("", "[say b]")
				answers, err := s.Stop(bellcord.StopRequest{Turn: running.ID, Cause: by, Queue: fate}).Wait(s.t.Context())
				if err != nil {
					s.t.Fatal(err)
				}
				synctest.Wait()
				r := running.Receipt()
				switch fate {
				case bellcord.QueueHold:
					if len(r.HeldTurns) != 2 || len(s.model.Requests()) != 1 {
						s.t.Errorf("held %v; the model saw %d requests", r.HeldTurns, len(s.model.Requests()))
					}
					s.done("[say a newer prompt does not wait for them]")
					s.Release(s.session)
				case bellcord.QueueDrop:
					if len(answers) != 3 || len(r.DroppedTurns) != 2 || answers[1].Receipt.Prompt != "[say a]" {
						s.t.Errorf("answers %+v; dropped %v", answers, r.DroppedTurns)
					}
				case bellcord.QueueNext:
				}
				<-a.Settled()
				<-b.Settled()
				want := bellcord.EndDone
				if fate == bellcord.QueueDrop {
					want = bellcord.EndStopped
				}
				if r.Queue != fate || a.Receipt().End != want || b.Receipt().End != want {
					s.t.Errorf("%s: ended %s and %s", r.Queue, a.Receipt().End, b.Receipt().End)
				}
				s.done("[say and on]")
			})
		})
	}
}

// The cut point is a queued command behind a running turn; the stop lets the
// running turn finish its step and drops the queue. A command has no step.
func TestLaw29_QueuedCommandDroppedAfterStep_NeverRuns(t *testing.T) {
	t.Parallel()
	for _, on := range grounds(t) {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			onStageAt(t, setting{ground: on, format: formats[0], dir: t.TempDir()}, func(s *stage) {
				running := s.send("", "[hang after 2]")
				s.await(running.ID, emittedText("word2"))
				command := s.sendPrompt(bellcord.Prompt{Text: "!rm -rf build", Task: bellcord.TaskCommand})
				s.Stop(bellcord.StopRequest{Turn: running.ID, Mode: bellcord.StopAfterStep, Queue: bellcord.QueueDrop, Cause: by})
				select {
				case <-command.Settled(): // while the step still runs
				case <-time.After(time.Minute):
					s.t.Error("the dropped command has no end after a minute")
				}
				s.Stop(bellcord.StopTurn(running.ID, by))
				<-running.Settled()
				<-command.Settled()
				r := command.Receipt()
				if r.End != bellcord.EndStopped || r.Prompt != "!rm -rf build" || count(s.bodies(command.ID), kind[bellcord.TurnStarted]) != 0 {
					s.t.Errorf("the dropped command: %+v, %v", r, s.bodies(command.ID))
				}
				if dropped := running.Receipt().DroppedTurns; !slices.Equal(dropped, []bellcord.TurnID{command.ID}) {
					s.t.Errorf("the running turn's receipt has dropped %v", dropped)
				}
			})
		})
	}
}

func TestLaw30_StopWithOpenQuestion_WithdrawsItAndRejectsLateAnswer(t *testing.T) {
	t.Parallel()
	atEveryCut(t, func(t *testing.T, sc scene) {
		if len(sc.receipt.WithdrawnQuestions) != sc.questions {
			t.Errorf("closed %v", sc.receipt.WithdrawnQuestions)
		}
		for _, q := range sc.receipt.WithdrawnQuestions {
			if err := sc.Answer(sc.id, q, bellcord.Reply{Choice: "allow"}, "late"); err == nil {
				t.Error("a late answer was taken")
			}
		}
		if sc.ran.of("guarded") != 0 {
			t.Error("it ran without an answer")
		}
	})
}
