package telegram_test

import (
	"strings"
	"testing"
	"time"
)

func TestMessage_Prompt_IsAnswered(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say Hello, *Anna*.")
		s.pass(3 * time.Second)
		s.sees(anna, "Hello, Anna.")
	})
}

func TestAnswer_WhileWritten_IsADraftAndThenAMessage(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.pass(400 * time.Millisecond)
		if len(s.gram.Chat(anna).Drafts) == 0 {
			t.Fatal("nothing is shown after 400 ms")
		}
		s.pass(3 * time.Second)
		draft := s.gram.Chat(anna).Drafts[0]
		if !strings.HasPrefix(draft.Text, "word0 word1 ") || !draft.CanStop {
			t.Errorf("the draft is %+v", draft)
		}
		s.sees(anna)
		s.pass(5 * time.Second)
		if got := s.bot(anna); len(got) != 1 || !strings.HasSuffix(got[0], "word49") {
			t.Errorf("the answer is %q", got)
		}
		if s.draft(anna) != "" {
			t.Error("the draft is still there")
		}
	})
}
