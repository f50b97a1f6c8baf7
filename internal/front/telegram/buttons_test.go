package telegram_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// presses presses a button and returns the reply to the press.
func (s *stage) presses(b fakegram.Button) string {
	s.Helper()
	id, err := s.gram.Press(anna, b)
	s.must(err)
	synctest.Wait()
	text, _, _ := s.gram.Answered(id)
	return text
}

// holds stops a turn while another message is queued, and returns the stopped
// turn's last message.
func (s *stage) holds(waits string) fakegram.Message {
	s.Helper()
	s.sendText(anna, "slow 50")
	s.pass(time.Second)
	s.sendText(anna, waits)
	s.pass(2 * time.Second)
	s.sendText(anna, "/stop")
	s.pass(4 * time.Second)
	return s.stopped(anna, "1 message held")
}

// expectText checks that the bot's messages contain the words, and that none reports
// a held message.
func (s *stage) expectText(words string) {
	s.Helper()
	all := strings.Join(s.bot(anna), "\n")
	if !strings.Contains(all, words) || strings.Contains(all, "1 message held") {
		s.Errorf("the chat shows %q, want %q", all, words)
	}
}

func TestDiscard_ButtonOfEarlierStop_KeepsNewlyQueuedMessage(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		m := s.holds("say Second.")
		discard, send := s.button(m, "Discard"), s.button(m, "Send the held")
		if got := s.presses(discard); got != "1 message discarded." {
			t.Errorf("the first press is told %q", got)
		}
		s.pass(4 * time.Second)
		s.expectText("1 message discarded")
		s.sendText(anna, "slow 20")
		s.pass(time.Second)
		s.sendText(anna, "say Fourth.")
		s.pass(time.Second)
		for _, old := range []fakegram.Button{discard, send} {
			if got := s.forgeOn(anna, old.Message, old.Data); got != "This button no longer applies." { // it is no longer on the screen
				t.Errorf("an old %s is told %q", old.Text, got)
			}
		}
		s.pass(10 * time.Second)
		if got := s.last(anna).Text; got != "Fourth." {
			t.Errorf("the chat ends with %q", got)
		}
	})
}

func TestSendHeld_PressedTwice_SendsOnceAndUpdatesTheMessage(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		send := s.button(s.holds("say Second."), "Send the held")
		if got := s.presses(send); got != "Sent." {
			t.Errorf("the first press is told %q", got)
		}
		s.pass(6 * time.Second)
		s.expectText("1 message sent")
		if got := s.forgeOn(anna, send.Message, send.Data); got != "This button no longer applies." {
			t.Errorf("the second press is told %q", got)
		}
	})
}

func TestContinue_AfterClearOrNewerTurn_IsRefused(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]string{"a clear": "/clear", "a newer turn": "say Newer."} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStage(t, nil, func(s *stage) {
				s.sendText(anna, "slow 50")
				s.pass(2 * time.Second)
				s.sendText(anna, "/stop")
				s.pass(4 * time.Second)
				goOn := s.button(s.stopped(anna), "Continue")
				s.sendText(anna, next)
				s.pass(5 * time.Second)
				given := len(s.given())
				if got := s.presses(goOn); got != "This button no longer applies." {
					t.Errorf("the press is told %q", got)
				}
				s.pass(5 * time.Second)
				if got := s.given(); len(got) != given {
					t.Errorf("the agent was given %q", got[given:])
				}
			})
		})
	}
}

func TestReplace_SixQuickMessages_ShowsTheLastAnswerSoonAndNoStubs(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string]bool{"drafts": false, "edits": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(with *setup) { with.Replace, with.Edits = true, edits }, func(s *stage) {
				for range 5 {
					s.sendText(anna, "slow 50")
					s.pass(300 * time.Millisecond)
				}
				s.sendText(anna, "say The last.")
				s.pass(3 * time.Second)
				if got := s.bot(anna); len(got) != 1 || got[0] != "The last." {
					t.Errorf("after 3 s the chat shows %q", got)
				}
			})
		})
	}
}

func TestUnknownCommand_Typo_SuggestsCommandOrReachesHostedAgent(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		if got := s.replyTo("/modell x"); !strings.Contains(got, "did you mean /model?") {
			t.Errorf("it says %q", got)
		}
		s.replyTo("/agent pi")
		s.replyTo("/deploy now")
		if got := s.given(); !slices.Contains(got, "/deploy now") {
			t.Errorf("the hosted agent was given %q", got)
		}
	})
}

func TestSessions_EqualTitles_HaveDifferentLabels(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for range 3 {
			s.replyTo("say Hello.")
			s.replyTo("/new")
		}
		s.replyTo("/sessions")
		want := []string{"say Hello. · just now", "say Hello. · just now (2)", "say Hello. · just now (3)"}
		if got := s.labels(anna); !slices.Equal(got, want) {
			t.Errorf("it offers %q, want %q", got, want)
		}
	})
}

func TestNew_NoPreviousSession_DoesNotMentionOne(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		if got, want := s.replyTo("/new"), "🆕 Your next message starts a new session."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		s.replyTo("say Hello.")
		if got, want := s.replyTo("/new"), "🆕 Your next message starts a new session. The previous one is in /sessions."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// A second stop holds the message of the first one as well. The button below the
// first stop was shown for one message and must not send the other.
func TestSendHeld_ButtonOfEarlierStop_KeepsMessagesOfALaterStopHeld(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		send := s.button(s.holds("say Second."), "Send the held message")
		s.sendText(anna, "slow 60")
		s.pass(time.Second)
		s.sendText(anna, "say Fourth.")
		s.pass(2 * time.Second)
		s.sendText(anna, "/stop")
		s.pass(4 * time.Second)
		later := s.button(s.stopped(anna, "2 messages held"), "Send 2 held messages")
		if got := s.presses(send); got != "Sent." {
			t.Errorf("the press is answered with %q", got)
		}
		s.pass(10 * time.Second)
		if got, want := s.given(), []string{"slow 50", "slow 60", "say Second."}; !slices.Equal(got, want) {
			t.Errorf("the agent was given %q, want %q", got, want)
		}
		if got := s.presses(later); got != "Sent." {
			t.Errorf("the press of the later button is answered with %q", got)
		}
		s.pass(10 * time.Second)
		if got := s.last(anna).Text; got != "Fourth." {
			t.Errorf("the chat ends with %q", got)
		}
	})
}
