package telegram_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

func TestPreview_Thinking_IsShownUntilTextArrives(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "think How would I know?\nhang 3s\nsay I know.\nhang 3s\nsay  So.")
		s.pass(2 * time.Second)
		if got := s.draft(anna); got != "💭 How would I know?" {
			t.Errorf("while it thinks the draft is %q", got)
		}
		s.pass(3 * time.Second)
		if got := s.draft(anna); got != "I know." {
			t.Errorf("with words the draft is %q", got)
		}
		s.pass(5 * time.Second)
		s.sees(anna, "I know. So.")
	})
}

func TestPreview_Tools_AreShownAndTextBeforeThemIsAMessage(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say I look.\ntool one\ntool two\ntool three\ntool four\ntool five\nhang 3s\nsay Found.")
		s.pass(1900 * time.Millisecond)
		s.sees(anna, "I look.")
		s.pass(6 * time.Second)
		if got := s.draft(anna); got != "… 1 earlier\n✓ shell two\n✓ shell three\n✓ shell four\n✓ shell five" {
			t.Errorf("the draft is %q", got)
		}
		s.pass(5 * time.Second)
		s.sees(anna, "I look.", "Found.")
	})
}

func TestPreview_SlowText_UpdatesAtMostOnceASecondWithEnoughNewText(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 200") // 20 s
		s.pass(19 * time.Second)
		calls := s.gram.CallsOf("sendMessageDraft")
		if n := len(calls); n < 10 || n > 20 {
			t.Errorf("there were %d drafts in 19 s", n)
		}
		for i := 2; i < len(calls); i++ {
			if gap := calls[i].At.Sub(calls[i-1].At); gap < time.Second {
				t.Errorf("draft %d came %v after the one before", i, gap)
			}
			if grown := len(calls[i].Params["text"]) - len(calls[i-1].Params["text"]); grown < 24 {
				t.Errorf("draft %d has %d new characters", i, grown)
			}
		}
	})
}

func TestPreview_FewNewWords_SendsNoDraft(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say One.\nhang 3s\nsay  Two.\nhang 3s\nsay  Three.\nhang 3s\nsay  Four, and then some more words.\nhang 3s")
		s.pass(10 * time.Second)
		if got := s.draft(anna); !strings.HasSuffix(got, "some more words.") {
			t.Errorf("the draft is %q", got)
		}
		if n := len(s.gram.CallsOf("sendMessageDraft")); n != 3 { // thinking, the first words, and enough new text
			t.Errorf("there were %d drafts", n)
		}
	})
}

func TestPreview_LongSilence_KeepsTheDraftVisible(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say Wait.\nhang 70s\nsay  Done.")
		for range 34 {
			s.pass(2 * time.Second)
			if got := s.draft(anna); got == "" {
				t.Fatal("the draft has faded")
			}
		}
		if n := len(s.gram.CallsOf("sendMessageDraft")); n > 6 {
			t.Errorf("a silence of 68 s took %d drafts", n)
		}
		s.pass(6 * time.Second)
		s.sees(anna, "Wait. Done.")
	})
}

func TestPreview_LongText_ShowsItsEnd(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "repeat 1200 bell \nsay and the end\nhang 5s")
		s.pass(3 * time.Second)
		got := s.draft(anna)
		if n := len([]rune(got)); n > 3900 || n < 3800 || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "and the end") {
			t.Errorf("the draft has %d characters: %.20q … %q", n, got, got[len(got)-20:])
		}
	})
}

func TestAnswer_Long_IsSplitAndKeepsCodeBlocks(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "repeat 60 A paragraph about bells, and how they are rung.\\n\\n\nsay ```go\\n\nrepeat 200 ring(bell) // and again\\n\nsay ```\\nThe end.")
		s.pass(8 * time.Second)
		got := s.bot(anna)
		if len(got) != 3 || !strings.HasSuffix(got[2], "The end.") {
			t.Fatalf("the answer came in %d parts", len(got))
		}
		for _, m := range s.gram.Chat(anna).Messages {
			if m.From.ID != 1 {
				continue
			}
			code := slices.ContainsFunc(m.Entities, func(e fakegram.Entity) bool { return e.Type == "pre" && e.Language == "go" })
			if strings.Contains(m.Text, "ring(bell)") && !code || strings.Contains(m.Text, "```") {
				t.Errorf("code is not shown as code: %.60q, %+v", m.Text, m.Entities)
			}
		}
		if all := strings.Join(got, "\n"); strings.Count(all, "ring(bell)") != 200 || strings.Count(all, "A paragraph") != 60 {
			t.Error("something of the answer is missing, or there twice")
		}
	})
}

// refuses makes the selected calls of a method fail.
func (s *stage) refuses(method, words string, which func(c fakegram.Call) bool) {
	s.gram.Storm(func(c fakegram.Call) fakegram.Weather {
		if c.Method == method && which(c) {
			return fakegram.Weather{Status: 400, Words: words}
		}
		return fakegram.Weather{}
	})
}

func TestAnswer_HTMLRejected_ArrivesAsPlainText(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.refuses("sendMessage", "can't parse entities: unsupported start tag", func(c fakegram.Call) bool { return c.Params["parse_mode"] == "HTML" })
		s.sendText(anna, "say Some **bold** & <plain> words.")
		s.pass(5 * time.Second)
		s.sees(anna, "Some **bold** & <plain> words.")
	})
}

func TestPreview_DraftRefused_UsesEditsWithStopButton(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.refuses("sendMessageDraft", "TEXTDRAFT_PEER_INVALID", func(fakegram.Call) bool { return true })
		s.sendText(anna, "slow 80")
		s.pass(4 * time.Second)
		live := s.last(anna)
		s.button(live, "⏹ Stop")
		if !strings.HasPrefix(live.Text, "word0 word1") {
			t.Errorf("it is shown as %q", live.Text)
		}
		s.pass(8 * time.Second)
		if got := s.bot(anna); len(got) != 1 || !strings.HasSuffix(got[0], "word79") || s.last(anna).ID != live.ID || s.last(anna).Markup != nil {
			t.Errorf("in the end the chat shows %q", got)
		}
		if n := len(s.gram.CallsOf("sendMessageDraft")); n != 1 {
			t.Errorf("a draft was tried %d times in one turn", n)
		}
		s.gram.Storm(nil)
		s.sendText(anna, "slow 30")
		s.pass(2 * time.Second)
		if s.draft(anna) == "" {
			t.Error("the next turn has no draft")
		}
	})
}

func TestEdits_PrivateChat_EditsOneMessageWithStopButton(t *testing.T) {
	t.Parallel()
	onStage(t, func(with *setup) { with.Edits = true }, func(s *stage) {
		s.sendText(anna, "slow 100")
		s.pass(4500 * time.Millisecond)
		live := s.last(anna)
		if answer := s.press(anna, anna, "⏹ Stop"); answer != "Stopping…" {
			t.Errorf("the press is told %q", answer)
		}
		s.pass(3 * time.Second)
		if last := s.stopped(anna, "word0", "word40"); last.ID != live.ID {
			t.Error("the end is another message")
		}
		if n := len(s.gram.CallsOf("sendMessageDraft")); n != 0 {
			t.Errorf("there were %d drafts", n)
		}
		calls := s.gram.CallsOf("editMessageText")
		for i := 1; i < len(calls); i++ {
			if gap := calls[i].At.Sub(calls[i-1].At); gap < 1200*time.Millisecond {
				t.Errorf("edit %d came %v after the one before", i, gap)
			}
		}
	})
}

func TestEdits_Group_StayWithinTelegramsLimits(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendTextIn(group, anna, "@bellcord_bot slow 900") // 90 s
		s.pass(100 * time.Second)
		calls := s.gram.CallsOf("editMessageText")
		if len(calls) < 15 {
			t.Fatalf("there were %d edits only", len(calls))
		}
		for i, c := range calls {
			if i > 0 && c.At.Sub(calls[i-1].At) < 3500*time.Millisecond {
				t.Errorf("edit %d came %v after the one before", i, c.At.Sub(calls[i-1].At))
			}
			if i >= 20 && c.At.Sub(calls[i-20].At) < time.Minute {
				t.Errorf("more than 20 edits in the minute before %v", c.At)
			}
			if c.Status == 429 {
				t.Error("Telegram had to say that it was too much")
			}
		}
		if got := s.bot(group); len(got) != 2 || !strings.HasPrefix(got[0], "word0 ") || !strings.HasSuffix(got[1], "word899") {
			t.Errorf("the group sees %d messages", len(got))
		}
	})
}

func TestTopics_TwoInAChat_AreSeparateSessionsWithSeparateStops(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "/help")
		first, second := s.gram.OpenThread(anna), s.gram.OpenThread(anna)
		for _, thread := range []int{first, second} {
			_, err := s.gram.SayIn(anna, thread, anna, "slow 60")
			s.must(err)
			s.pass(time.Second)
		}
		s.pass(2 * time.Second)
		if drafts := s.gram.Chat(anna).Drafts; len(drafts) != 2 || drafts[0].Thread != first || drafts[1].Thread != second {
			t.Fatalf("the drafts are %+v", drafts)
		}
		s.must(s.gram.PressStopIn(anna, second))
		synctest.Wait()
		s.pass(12 * time.Second)
		for _, m := range s.gram.Chat(anna).Messages {
			switch {
			case m.From.ID != 1 || m.Thread == 0:
			case m.Thread == first && !strings.HasSuffix(m.Text, "word59"):
				t.Errorf("the first topic shows %q", m.Text)
			case m.Thread == second && !strings.Contains(m.Text, "⏹ Stopped"):
				t.Errorf("the second topic shows %q", m.Text)
			}
		}
		if n := len(s.sessions("anna")); n != 2 {
			t.Errorf("there are %d conversations", n)
		}
	})
}

func TestPrompt_FromAnotherClient_IsShownInTheChat(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say Here.")
		s.pass(3 * time.Second)
		_, err := s.hub.Accept(s.Context(), s.sessions("anna")[0].ID, bellcord.Prompt{Text: "slow 20"})
		s.must(err)
		s.pass(1500 * time.Millisecond)
		if got := s.draft(anna); !strings.HasPrefix(got, "word0") {
			t.Errorf("the draft is %q", got)
		}
		s.pass(4 * time.Second)
		if got := s.last(anna).Text; !strings.HasSuffix(got, "word19") {
			t.Errorf("the chat ends with %q", got)
		}
	})
}
