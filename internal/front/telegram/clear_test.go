package telegram_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/store"
)

const clearedText = "🧹 Cleared. Your next message starts a new conversation."

func TestClear_DuringTurn_StopsItDeletesItsMessagesAndStartsOver(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say I look.\ntool ls\nslow 50")
		s.pass(4 * time.Second)
		s.sees(anna, "I look.")
		s.sendText(anna, "/clear")
		s.pass(5 * time.Second)
		s.sees(anna, clearedText)
		if s.draft(anna) != "" {
			t.Error("a draft is left")
		}
		if len(s.ended) != 1 {
			t.Errorf("the processes of %v were ended", s.ended)
		}
		s.sendText(anna, "recall")
		s.pass(3 * time.Second)
		s.sees(anna, clearedText, "I know: [recall]")
	})
}

func TestClear_InGroup_DeletesTheEditedMessage(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendTextIn(group, anna, "/help")
		s.pass(4 * time.Second)
		s.sendTextIn(group, anna, "@bellcord_bot slow 200")
		s.pass(8 * time.Second)
		if got := s.last(group).Text; !strings.Contains(got, "word0") {
			t.Fatalf("the group sees %q", got)
		}
		s.sendTextIn(group, ben, "/clear")
		s.pass(15 * time.Second)
		if got := s.bot(group); len(got) != 2 || got[1] != clearedText {
			t.Errorf("the group sees %q", got)
		}
	})
}

func TestMessages_TwoAtOnce_BecomeTwoTurnsInOrder(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for _, text := range []string{"say One.", "say Two."} {
			_, err := s.gram.Say(anna, anna, text)
			s.must(err)
		}
		s.pass(10 * time.Second)
		s.sees(anna, "One.", "Two.")
		if got := s.given(); len(got) != 2 || got[0] != "say One." {
			t.Errorf("the agent was given %q", got)
		}
	})
}

func TestClear_MessageQueued_DropsBothTurns(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.pass(time.Second)
		s.sendText(anna, "say Second.")
		s.pass(2 * time.Second)
		s.sendText(anna, "/clear")
		s.pass(8 * time.Second)
		s.sees(anna, clearedText)
		if got := s.given(); len(got) != 1 {
			t.Errorf("the agent was given %q", got)
		}
		s.sendText(anna, "say Third.")
		s.pass(3 * time.Second)
		s.sees(anna, clearedText, "Third.")
	})
}

func TestClear_MessageRightAfter_StartsTheNewConversation(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for _, text := range []string{"slow 50", "/clear", "say Fresh."} {
			_, err := s.gram.Say(anna, anna, text)
			s.must(err)
		}
		s.pass(10 * time.Second)
		s.sees(anna, clearedText, "Fresh.")
	})
}

func TestClear_SentTwice_RepliesToBoth(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.pass(time.Second)
		_, err := s.gram.Say(anna, anna, "/clear")
		s.must(err)
		s.sendText(anna, "/clear")
		s.pass(8 * time.Second)
		s.sees(anna, clearedText, clearedText)
		s.sendText(anna, "say Fresh.")
		s.pass(3 * time.Second)
		s.sees(anna, clearedText, clearedText, "Fresh.")
	})
}

func TestClear_AfterTheEnd_DeletesNothing(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say The whole answer.")
		s.pass(3 * time.Second)
		s.sendText(anna, "/clear")
		s.pass(4 * time.Second)
		s.sees(anna, "The whole answer.", clearedText)
		if n := len(s.gram.CallsOf("deleteMessages")); n != 0 {
			t.Errorf("%d deletions", n)
		}
	})
}

func TestClear_WithoutMessages_Succeeds(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "/clear")
		s.pass(3 * time.Second)
		s.sees(anna, clearedText)
	})
}

// A turn that is done when the clear arrives has a complete answer, which is
// kept.
func TestClear_TurnAlreadyDone_DeliversTheWholeAnswer(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for n := range 12 { // around the moment of its end
			s.sendText(anna, "slow 20\nsay The end.")
			s.pass(1980*time.Millisecond + time.Duration(4*n)*time.Millisecond)
			s.sendText(anna, "/clear")
			s.pass(12 * time.Second)
			got := s.bot(anna)
			for _, text := range got {
				if strings.Contains(text, "word0") != strings.Contains(text, "The end.") {
					t.Fatalf("try %d: half an answer is left: %q", n, text)
				}
			}
			if s.draft(anna) != "" || got[len(got)-1] != clearedText && got[len(got)-2] != clearedText {
				t.Fatalf("try %d: the chat shows %q", n, got)
			}
		}
	})
}

func TestClear_AgentIgnoresStop_DelaysTheNextMessageOnly(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say Words.\nstubborn 1m")
		s.pass(2 * time.Second)
		s.sendText(anna, "/clear")
		s.pass(time.Second)
		s.sendText(anna, "say Fresh.") // waits for the clear
		s.pass(30 * time.Second)
		s.sees(anna, clearedText, "Fresh.")
		s.pass(time.Minute)
	})
}

func TestNew_DuringTurn_KeepsThePartialAnswerAndThePreviousSession(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.pass(2 * time.Second)
		s.sendText(anna, "/new")
		s.pass(5 * time.Second)
		if got := s.bot(anna); len(got) != 2 || !strings.Contains(got[0], "word0") || !strings.Contains(got[1], "starts a new session") {
			t.Errorf("the chat shows %q", got)
		}
		s.sendText(anna, "say In the new one.")
		s.pass(3 * time.Second)
		all, err := s.hub.Sessions(s.Context(), store.SessionQuery{Owner: "anna"})
		s.must(err)
		if len(all) != 2 {
			t.Errorf("there are %d conversations", len(all))
		}
		s.sendText(anna, "/sessions")
		s.pass(3 * time.Second)
		s.press(anna, anna, "slow 50")
		s.pass(2 * time.Second)
		s.sendText(anna, "say Back.")
		synctest.Wait()
		s.pass(3 * time.Second)
		if got := s.last(anna).Text; got != "Back." {
			t.Errorf("the chat ends with %q", got)
		}
	})
}

func TestClear_AutomaticTitle_IsMadeAgainFromTheNextMessage(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for _, turn := range []struct{ message, status string }{
			{"say Hello.", "Session: say Hello."},
			{"/clear", "Session: (no messages yet)"},
			{"say Goodbye.", "Session: say Goodbye."},
		} {
			s.sendText(anna, turn.message)
			s.pass(5 * time.Second)
			s.sendText(anna, "/status")
			s.pass(2 * time.Second)
			if got := s.last(anna).Text; !strings.Contains(got, turn.status) {
				t.Errorf("after %q the status is %q, want %q in it", turn.message, got, turn.status)
			}
		}
	})
}
