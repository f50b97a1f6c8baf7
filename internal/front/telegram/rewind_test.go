package telegram_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

const rewoundText = "⏪ The conversation goes on as it was before an earlier turn. Files stay as they are. /rewind back takes the last rewind back."

// rewinds counts the rewinds in the log of the only session, without those that
// were taken back.
func (s *stage) rewinds() (n int) {
	s.Helper()
	s.must(store.EachEvent(s.Context(), s.store, s.sessions("")[0].ID, 0, func(ev bellcord.Event) bool {
		if r, is := ev.Body.(bellcord.ConversationRewound); is && r.TakenBack {
			n--
		} else if is {
			n++
		}
		return true
	}))
	return n
}

func TestRewind_ListButtonAndBack_RewindOnceAndTakeItBack(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		if got := s.replyTo("/rewind"); got != "The conversation has no turn to rewind to." {
			t.Errorf("without a session: %q", got)
		}
		s.replyTo("say One.")
		s.edits("a=1")
		if got := s.replyTo("/rewind"); got != "⏪ Go on as before which turn? Files stay as they are: /undo is for those." {
			t.Errorf("the list is %q", got)
		}
		labels := s.labels(anna)
		if len(labels) != 2 || !strings.HasSuffix(labels[0], " say One.") || !strings.HasPrefix(labels[1], "…") {
			t.Fatalf("it offers %q", labels)
		}
		b := s.button(s.last(anna), "edit a=1")
		s.presses(b)
		s.pass(3 * time.Second)
		if got := s.last(anna).Text; got != rewoundText || s.rewinds() != 1 || s.content("a") != "1" {
			t.Errorf("after the press: %q, %d rewinds, and a is %q", got, s.rewinds(), s.content("a"))
		}
		if got := s.forgeOn(anna, b.Message, b.Data); got != notNow || s.rewinds() != 1 {
			t.Errorf("the second press is answered with %q, and there are %d rewinds", got, s.rewinds())
		}
		if got := s.replyTo("/rewind back"); !strings.Contains(got, "includes the turns again") || s.rewinds() != 0 {
			t.Errorf("taken back: %q, %d rewinds", got, s.rewinds())
		}
		if got := s.replyTo("/rewind back"); got != "✗ The conversation was not rewound." {
			t.Errorf("nothing to take back: %q", got)
		}
		id, _, _ := strings.Cut(labels[0], " ")
		if got := s.replyTo("/rewind " + id); got != rewoundText || s.rewinds() != 1 {
			t.Errorf("by its id: %q, %d rewinds", got, s.rewinds())
		}
		if got := s.replyTo("/rewind nothing"); got != "✗ No such turn: no id begins or ends with nothing." {
			t.Errorf("an unknown turn: %q", got)
		}
	})
}

func TestRewind_TurnRunningOrForgedPress_RewindsNothing(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.replyTo("say One.")
		s.replyTo("/rewind")
		b := s.button(s.last(anna), "say One.")
		if got := s.forge(ben, b.Data); got != notNow {
			t.Errorf("ben's press is answered with %q", got)
		}
		s.sendText(anna, "hang 30s")
		s.pass(2 * time.Second)
		s.presses(b)
		s.pass(2 * time.Second)
		if got := s.last(anna).Text; got != "✗ A turn of this session is running: stop it first." || s.rewinds() != 0 {
			t.Errorf("while a turn runs: %q, %d rewinds", got, s.rewinds())
		}
	})
}

func TestUndoCommand_TurnNamed_PreviewsThatTurn(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.edits("a=1")
		s.edits("b=1")
		s.replyTo("/rewind")
		first, _, _ := strings.Cut(s.labels(anna)[0], " ")
		s.replyTo("/undo " + first)
		s.has("↩ Undo these changes?\n\nremove    a", "✓ Yes, undo", "✕ Cancel")
		s.press(anna, anna, "Yes, undo")
		s.pass(5 * time.Second)
		if s.content("a") != "" || s.content("b") != "1" {
			t.Errorf("a is %q, and b is %q", s.content("a"), s.content("b"))
		}
		if got := s.replyTo("/undo nothing"); got != "No turn of this session has the id nothing. Send /rewind to see the turns." {
			t.Errorf("an unknown turn: %q", got)
		}
	})
}
