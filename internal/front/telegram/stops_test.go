package telegram_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// stopped asserts that the bot's last message in a chat contains the words and
// reports the stop. It returns the message.
func (s *stage) stopped(chat int64, words ...string) fakegram.Message {
	s.Helper()
	last := s.last(chat)
	for _, w := range append(words, "⏹ Stopped") {
		if !strings.Contains(last.Text, w) {
			s.Errorf("the last message is %q, without %q", last.Text, w)
		}
	}
	for _, never := range []string{"rror", "crash", "word150"} {
		if strings.Contains(last.Text, never) {
			s.Errorf("the last message says %q: %q", never, last.Text)
		}
	}
	return last
}

func TestLaw04_EveryWayToStop_HasTheSameEffect(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(s *stage){
		"the command":    func(s *stage) { s.sendText(anna, "/stop") },
		"the word":       func(s *stage) { s.sendText(anna, "Stop!") },
		"Telegram's own": func(s *stage) { s.must(s.gram.PressStop(anna)); synctest.Wait() },
		"stop all":       func(s *stage) { s.sendText(anna, "/stop all") },
		"from elsewhere": func(s *stage) {
			s.hub.Stop(bellcord.StopRequest{Cause: bellcord.Cause{By: "anna", Source: "page"}})
			synctest.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStage(t, nil, func(s *stage) {
				s.sendText(anna, "slow 50")
				s.pass(2 * time.Second)
				stop(s)
				s.pass(3 * time.Second)
				s.stopped(anna, "word0 word1", "2.0 s")
				if s.draft(anna) != "" {
					t.Error("a draft is left")
				}
				s.sendText(anna, "say The next one.")
				s.pass(3 * time.Second)
				if got := s.last(anna).Text; got != "The next one." {
					t.Errorf("the next message is answered with %q", got)
				}
			})
		})
	}
}

func TestLaw02_StopRightAfterMessage_IsNotLost(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for range 20 {
			_, err := s.gram.Say(anna, anna, "slow 50")
			s.must(err)
			s.sendText(anna, "/stop")
			s.pass(5 * time.Second)
			s.stopped(anna)
		}
	})
}

func TestLaw02_StopDuringPictureDownload_PreventsTheTurn(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Storm(func(c fakegram.Call) fakegram.Weather {
			if c.Method == "getFile" {
				return fakegram.Weather{Before: 5 * time.Second}
			}
			return fakegram.Weather{}
		})
		_, err := s.gram.SayPhoto(anna, anna, "bell.png", picture(), "say What a bell.")
		s.must(err)
		s.pass(time.Second)
		s.sendText(anna, "/stop")
		s.pass(10 * time.Second)
		s.sees(anna, "⏹ Stopped before it started")
		if got := s.given(); len(got) != 0 {
			t.Errorf("the agent was given %q", got)
		}
	})
}

func TestLaw03_StopWithNothingRunning_ReportsIt(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "/stop")
		s.pass(3 * time.Second)
		s.sendText(anna, "say Hello.")
		s.pass(3 * time.Second)
		s.sendText(anna, "stop")
		s.pass(3 * time.Second)
		s.sees(anna, "Nothing is running.", "Hello.", "Nothing is running.")
	})
}

func TestEnd_TurnThatEndedProcesses_SaysSoAlsoWhenDone(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "leave serve &\nsay Started.")
		s.pass(4 * time.Second)
		s.sees(anna, "Started.\n\n2 processes ended, cgroup empty")
		s.sendText(anna, "leave serve &\nlong npm test")
		s.pass(4 * time.Second)
		s.sendText(anna, "/stop")
		s.pass(3 * time.Second)
		s.sees(anna, "Started.\n\n2 processes ended, cgroup empty", "⏹ Stopped · 4.0 s · 1 tool call done, 1 stopped · 2 processes ended, cgroup empty")
	})
}

func TestStop_AfterTools_KeepsTheTextAndReportsTheTools(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say First I look.\ntool ls\nsay Then I test.\nlong npm test")
		s.pass(4 * time.Second)
		if got := s.draft(anna); !strings.Contains(got, "🔧 shell npm test") || !strings.Contains(got, "✓ shell ls") {
			t.Errorf("the draft is %q", got)
		}
		s.sendText(anna, "/stop")
		s.pass(3 * time.Second)
		s.sees(anna, "First I look.", "Then I test.", "⏹ Stopped · 4.0 s · 1 tool call done, 1 stopped")
		row := s.last(anna).Markup.Rows[0]
		if row[0].Text != "▶ Continue" || row[1].Text != "↻ Retry" {
			t.Errorf("the buttons are %+v", row)
		}
	})
}

func TestContinueAndRetry_StoppedTurn_StartANewTurn(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 30")
		s.pass(time.Second)
		s.sendText(anna, "/stop")
		s.pass(3 * time.Second)
		s.press(anna, anna, "Continue")
		s.pass(3 * time.Second)
		if got := s.last(anna).Text; got != "You said: Continue where you were stopped." {
			t.Errorf("it went on with %q", got)
		}
		s.sendText(anna, "slow 31")
		s.pass(time.Second)
		s.sendText(anna, "/stop")
		s.pass(3 * time.Second)
		s.press(anna, anna, "Retry")
		s.pass(6 * time.Second)
		if got := s.last(anna).Text; !strings.HasSuffix(got, "word30") {
			t.Errorf("the second try is %q", got)
		}
	})
}

func TestStopButton_InGroup_SecondPressForces(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendTextIn(group, anna, "/help")
		s.pass(4 * time.Second)
		s.sendTextIn(group, anna, "@bellcord_bot stubborn 8s")
		s.pass(4 * time.Second)
		if answer := s.press(group, ben, "Stop"); answer != "Stopping…" {
			t.Errorf("the first press is told %q", answer)
		}
		s.pass(4 * time.Second)
		if got := s.last(group).Text; !strings.Contains(got, "stopping… waiting for the agent") {
			t.Errorf("after 4 s it says %q", got)
		}
		stale := s.last(group).Markup.Rows[0][0]
		stale.Chat, stale.Message = group, s.last(group).ID
		if answer := s.press(group, anna, "Stop"); answer != "Forcing the stop…" {
			t.Errorf("the second press is told %q", answer)
		}
		s.pass(8 * time.Second)
		s.stopped(group, "by ben")
		id, err := s.gram.Press(anna, stale)
		if err == nil {
			synctest.Wait()
			if text, _, _ := s.gram.Answered(id); text != "Already finished." {
				t.Errorf("a late press is told %q", text)
			}
		}
	})
}

func TestExclamationMark_DuringTurn_StopsItAndIsAnsweredInstead(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.pass(2 * time.Second)
		s.sendText(anna, "! say This instead.")
		s.pass(5 * time.Second)
		got := s.bot(anna)
		if len(got) != 2 || !strings.Contains(got[0], "⏹ Stopped: replaced by a newer prompt") || got[1] != "This instead." {
			t.Errorf("the chat shows %q", got)
		}
	})
}

func TestLaw29_QueuedMessage_IsHeldByStopAndDroppedByStopAll(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.pass(time.Second)
		s.sendText(anna, "say Second.")
		s.pass(2 * time.Second)
		if got := s.last(anna).Text; !strings.HasPrefix(got, "⏳ Queued.") {
			t.Errorf("who waits is told %q", got)
		}
		s.sendText(anna, "/stop")
		s.pass(4 * time.Second)
		s.stopped(anna, "1 message held")
		if got := s.given(); len(got) != 1 {
			t.Errorf("the agent was given %q", got)
		}
		s.press(anna, anna, "Send the held message")
		s.pass(4 * time.Second)
		if got := s.last(anna).Text; got != "Second." {
			t.Errorf("what waited is answered with %q", got)
		}
		s.sendText(anna, "slow 50")
		s.pass(time.Second)
		s.sendText(anna, "say Never.")
		s.pass(2 * time.Second)
		s.sendText(anna, "/stop all")
		s.pass(4 * time.Second)
		s.stopped(anna, "1 message dropped")
		for _, text := range s.bot(anna) {
			if strings.Contains(text, "Never") || strings.Contains(text, "⏳") {
				t.Errorf("the chat shows %q", text)
			}
		}
	})
}

func TestReplace_SeveralMessagesAtOnce_AnswersTheLast(t *testing.T) {
	t.Parallel()
	onStage(t, func(with *setup) { with.Replace = true }, func(s *stage) {
		for _, text := range []string{"slow 50", "slow 51", "slow 52", "say The last."} {
			_, err := s.gram.Say(anna, anna, text)
			s.must(err)
		}
		s.pass(10 * time.Second)
		if got := s.last(anna).Text; got != "The last." {
			t.Errorf("the chat ends with %q of %q", got, s.bot(anna))
		}
		for _, text := range s.bot(anna) {
			if strings.Contains(text, "word9") {
				t.Errorf("an answer that was replaced went on: %q", text)
			}
		}
	})
}

func TestReadOnlyCommands_DuringTurn_DoNotAffectIt(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 300")
		s.pass(time.Second)
		for _, command := range []string{"/help", "/status", "/start", "/cost", "/sessions", "/agent", "/model", "/nonsense", "/file"} {
			s.sendText(anna, command)
			s.pass(3 * time.Second)
		}
		got := strings.Join(s.bot(anna), "\n")
		for _, want := range []string{"/stop all", "● Running for", "tokens", "Choose a session:", "Agent: bellcord", "Model: ", "Unknown command /nonsense", "Which file?"} {
			if !strings.Contains(got, want) {
				t.Errorf("nobody said %q", want)
			}
		}
		s.pass(10 * time.Second)
		if got := s.last(anna).Text; !strings.HasSuffix(got, "word299") {
			t.Errorf("the turn ended with %q", got)
		}
	})
}
