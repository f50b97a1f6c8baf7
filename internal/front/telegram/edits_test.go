package telegram_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEdit_MessageThatWaits_IsAnsweredAsEdited(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.pass(time.Second)
		waits, err := s.gram.Say(anna, anna, "say Frist.")
		s.must(err)
		s.pass(2 * time.Second)
		s.must(s.gram.Edit(anna, anna, waits.ID, "say First."))
		s.pass(time.Second)
		s.sendText(anna, "/stop")
		s.pass(4 * time.Second)
		s.press(anna, anna, "Send the held message")
		s.pass(4 * time.Second)
		if got := s.last(anna).Text; got != "First." {
			t.Errorf("the edited message was answered with %q", got)
		}
		if given := s.given(); !slices.Equal(given, []string{"slow 50", "say First."}) {
			t.Errorf("the agent received %q", given)
		}
	})
}

func TestEdit_MessageBeingAnswered_IsRefusedAndTheTurnContinues(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		running, err := s.gram.Say(anna, anna, "slow 50")
		s.must(err)
		s.pass(time.Second)
		s.must(s.gram.Edit(anna, anna, running.ID, "say Other."))
		s.pass(2 * time.Second)
		if got := s.last(anna).Text; !strings.HasPrefix(got, "I have begun to answer") {
			t.Errorf("the edit was answered with %q", got)
		}
		if given := s.given(); !slices.Equal(given, []string{"slow 50"}) {
			t.Errorf("the agent received %q", given)
		}
	})
}

func TestEdit_AnsweredMessageOrCommand_IsIgnored(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		answered, err := s.gram.Say(anna, anna, "say Done.")
		s.must(err)
		s.pass(3 * time.Second)
		before := s.bot(anna)
		s.must(s.gram.Edit(anna, anna, answered.ID, "say Again."))
		s.must(s.gram.Edit(anna, anna, answered.ID, "/stop"))
		s.pass(3 * time.Second)
		if after := s.bot(anna); !slices.Equal(before, after) {
			t.Errorf("the bot sent %q, before %q", after, before)
		}
	})
}

func TestSticker_PrivateChat_IsAnsweredWithoutATurn(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		_, err := s.gram.SaySticker(anna, anna)
		s.must(err)
		s.pass(2 * time.Second)
		if got := s.last(anna).Text; got != "I can't read stickers. Send me text, a picture or a file." {
			t.Errorf("the sticker was answered with %q", got)
		}
		if given := s.given(); len(given) != 0 {
			t.Errorf("the agent received %q", given)
		}
	})
}

func TestDeliverSilent_SlowAnswer_ShowsOnlyTheCompleteAnswer(t *testing.T) {
	t.Parallel()
	onStage(t, func(with *setup) { with.Silent = true }, func(s *stage) {
		s.sendText(anna, "slow 8")
		for range 4 {
			s.pass(500 * time.Millisecond)
			if texts, draft := s.bot(anna), s.draft(anna); len(texts) > 0 && !strings.Contains(texts[0], "word7") || draft != "" {
				t.Errorf("the chat shows %q and the draft %q", texts, draft)
				return
			}
		}
		s.pass(20 * time.Second)
		if texts := s.bot(anna); len(texts) != 1 || !strings.Contains(texts[0], "word7") {
			t.Errorf("the chat shows %q", texts)
		}
	})
}

func TestDeliverSilent_Stop_SendsThePartialAnswerOnce(t *testing.T) {
	t.Parallel()
	onStage(t, func(with *setup) { with.Silent = true }, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.pass(3 * time.Second)
		s.sendText(anna, "/stop")
		s.pass(4 * time.Second)
		if texts := s.bot(anna); len(texts) != 1 || !strings.Contains(texts[0], "word1") || !strings.Contains(texts[0], "⏹ Stopped") {
			t.Errorf("the chat shows %q", texts)
		}
	})
}
