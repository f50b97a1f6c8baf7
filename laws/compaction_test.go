package laws_test

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// ofTurn reports whether op changes the turn.
func ofTurn(op store.Op, id bellcord.TurnID) bool {
	switch op := op.(type) {
	case store.AcceptTurn:
		return op.Turn == id
	case store.ClaimTurn:
		return op.Turn == id
	case store.AppendEvents:
		return op.Turn == id
	case store.FinishTurn:
		return op.Turn == id
	}
	return false
}

// isSummary reports whether the history starts with a summary.
func isSummary(history []bellcord.Message) bool {
	return len(history) > 0 && history[0].Seq == 0 && strings.Contains(history[0].Text, "Short and sweet.")
}

func TestLaw31_StopAtAnyWriteOfCompaction_LeavesOldOrNewHistory(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			onStageIn(t, format, func(s *stage) {
				kept, replaced := 0, 0
				for k := 0; ; k++ {
					s.freshSession()
					s.done(`[say one][tool quick {}]`)
					s.done("[say two]")
					old := s.history()
					id, n := bellcord.NewTurnID(), 0
					held := s.store.shut(func(op store.Op) bool {
						if !ofTurn(op, id) {
							return false
						}
						n++
						return n == k+1
					})
					turn := s.sendPrompt(bellcord.Prompt{Turn: id, Task: bellcord.TaskCompact, Text: "[say Short and sweet.]"})
					select {
					case <-held:
					case <-turn.Settled():
						s.store.open()
						if !isSummary(s.history()) || len(s.history()) != 1 {
							s.t.Errorf("after the last write: %+v", s.history())
						}
						if kept == 0 || k < 4 {
							s.t.Errorf("%d writes, %d stops left the old history", k, kept)
						}
						s.t.Logf("%d writes: %d left the old history, %d the new one", k, kept, replaced)
						return
					}
					stopping := s.Stop(bellcord.StopTurn(id, by))
					s.store.open()
					if _, err := stopping.Wait(s.t.Context()); err != nil {
						s.t.Fatal(err)
					}
					switch now := s.history(); {
					case reflect.DeepEqual(now, old):
						kept++
					case isSummary(now) && len(now) == 1:
						replaced++
					default:
						s.t.Errorf("stopped at write %d, a mixture:\n%+v", k, now)
					}
					s.done("and now?")
				}
			})
		})
	}
}

func TestLaw31_ConversationFillsWindow_IsCompactedAutomatically(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			onStageIn(t, format, func(s *stage) {
				s.agent.CompactAt = 0.5 // of 20,000 tokens
				for range 6 {
					s.done("[fast 1500]") // about 2,500 tokens each
				}
				s.done("[say and now?]")
				compactions := 0
				for _, ev := range s.events() {
					if _, is := ev.Body.(bellcord.ConversationCompacted); is {
						compactions++
					}
				}
				h := s.history()
				if compactions == 0 || h[0].Seq != 0 || h[len(h)-1].Text != "and now?" {
					s.t.Errorf("%d compactions; the history begins %.200q and ends %.200q", compactions, h[0].Text, h[len(h)-1].Text)
				}
				if r := s.model.Rejections(); len(r) > 0 {
					s.t.Errorf("rejected: %v", r)
				}
				if strings.Count(s.answerText(), "word1500") != 6 {
					s.t.Error("what was said is gone from the log")
				}
			})
		})
	}
}

func TestLaw31_StopDuringAutomaticCompaction_LeavesOldOrNewHistory(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		for range 6 {
			s.done("[fast 1500]")
		}
		before := s.history()
		s.agent.CompactAt = 0.5
		held := s.store.shut(func(op store.Op) bool {
			add, _ := op.(store.AppendEvents)
			for _, b := range add.Bodies {
				if _, is := b.(bellcord.SideRequestEnded); is {
					return true
				}
			}
			return false
		})
		turn := s.send("", "[say not this]")
		<-held
		s.Stop(bellcord.StopTurn(turn.ID, by))
		s.store.open()
		<-turn.Settled()
		synctest.Wait()
		now := s.history()
		extended := len(now) == len(before)+1 && reflect.DeepEqual(now[:len(before)], before)
		compacted := now[0].Seq == 0
		if r := turn.Receipt(); r.End != bellcord.EndStopped || extended == compacted || r.Usage.InputTokens == 0 {
			s.t.Errorf("%+v; %d messages before, %d now", r, len(before), len(now))
		}
		s.done("and now?")
	})
}

func (s *stage) events() []bellcord.Event {
	s.t.Helper()
	events, err := s.store.Events(s.t.Context(), s.session, 0, 1<<20)
	if err != nil {
		s.t.Fatal(err)
	}
	return events
}

func (s *stage) answerText() string {
	var all strings.Builder
	for _, ev := range s.events() {
		if b, is := ev.Body.(bellcord.TextDelta); is {
			all.WriteString(b.Text)
		}
	}
	return all.String()
}

func TestClear_WhileTurnRuns_StopsItAndStartsNewConversation(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			onStageIn(t, format, func(s *stage) {
				s.done("[say old]")
				running := s.send("", "[hang after 2]")
				s.await(running.ID, emittedText("word2"))
				waiting := s.send("", "[say never]")
				if _, err := s.Clear(s.session, by); err != nil {
					s.t.Fatal(err)
				}
				first := s.send("", "[say new]")
				<-first.Settled()
				if running.Receipt().End != bellcord.EndStopped || waiting.Receipt().End != bellcord.EndStopped || first.Receipt().End != bellcord.EndDone {
					s.t.Errorf("ended %s, %s, %s", running.Receipt().End, waiting.Receipt().End, first.Receipt().End)
				}
				h := s.history()
				if len(h) != 2 || h[0].Text != "[say new]" || h[1].Text != "new" {
					s.t.Errorf("the new conversation is %+v", h)
				}
				if !strings.Contains(s.answerText(), "word2") {
					s.t.Error("what was said before is gone from the log")
				}
			})
		})
	}
}
