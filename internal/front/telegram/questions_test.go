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

const dangerous = `May I run this?\n\nrm -rf build && make -j8 all > "log & <more>"`

// newestQuestion returns the bot's newest message with a question.
func (s *stage) newestQuestion(chat int64) fakegram.Message {
	s.Helper()
	for _, m := range slices.Backward(s.gram.Chat(chat).Messages) {
		if strings.HasPrefix(m.Text, "❓") {
			return m
		}
	}
	s.Fatal("no question is there")
	return fakegram.Message{}
}

// button returns a message's button with these words on it.
func (s *stage) button(m fakegram.Message, words string) fakegram.Button {
	s.Helper()
	if m.Markup != nil {
		for _, b := range slices.Concat(m.Markup.Rows...) {
			if strings.Contains(b.Text, words) {
				b.Chat, b.Message = m.Chat.ID, m.ID
				return b
			}
		}
	}
	s.Fatalf("%q has no button that says %q", m.Text, words)
	return fakegram.Button{}
}

func TestQuestion_Command_ShowsAllOfItAndEveryChoice(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "ask "+dangerous)
		s.pass(3 * time.Second)
		m := s.newestQuestion(anna)
		if want := "❓ " + lines(dangerous); m.Text != want {
			t.Errorf("it asks %q, not %q", m.Text, want)
		}
		var words []string
		for _, b := range slices.Concat(m.Markup.Rows...) {
			words = append(words, b.Text)
		}
		if want := []string{"✓ Once", "✓ Always", "✕ Deny", "⏹ Stop"}; !slices.Equal(words, want) {
			t.Errorf("the buttons are %q", words)
		}
	})
}

func TestQuestion_ButtonPressed_AnswersAndShowsTheChoiceAndPerson(t *testing.T) {
	t.Parallel()
	for words, chosen := range map[string]string{"Once": "yes", "Always": "all", "Deny": "no"} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			onStage(t, nil, func(s *stage) {
				s.sendText(anna, "ask May I?")
				s.pass(3 * time.Second)
				label := s.button(s.newestQuestion(anna), words).Text
				if answer := s.press(anna, anna, words); answer != label {
					t.Errorf("who pressed is told %q", answer)
				}
				s.pass(4 * time.Second)
				s.sees(anna, "❓ May I?\n\n"+label+" — anna", "chosen: "+chosen)
				if m := s.newestQuestion(anna); m.Markup != nil {
					t.Errorf("there are still buttons: %+v", m.Markup)
				}
			})
		})
	}
}

func TestLaw30_StopWithOpenQuestion_ClosesItAndRejectsLatePress(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(s *stage){
		"the command": func(s *stage) { s.sendText(anna, "/stop") },
		"the button":  func(s *stage) { s.press(anna, anna, "Stop") },
		"Telegram's own": func(s *stage) {
			s.pass(25 * time.Second) // the question dismissed the draft; it is shown again
			s.must(s.gram.PressStop(anna))
			synctest.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStage(t, nil, func(s *stage) {
				s.sendText(anna, "ask May I?")
				s.pass(3 * time.Second)
				stale := s.button(s.newestQuestion(anna), "Once")
				stop(s)
				s.late(stale)
				s.pass(6 * time.Second)
				s.stopped(anna)
				if m := s.newestQuestion(anna); m.Text != "❓ May I?\n\n⏹ Withdrawn without an answer" || m.Markup != nil {
					t.Errorf("the question is %q with %+v", m.Text, m.Markup)
				}
				if got := strings.Join(s.bot(anna), "\n"); strings.Contains(got, "chosen") {
					t.Errorf("a press after the stop was an answer: %q", got)
				}
			})
		})
	}
}

// late presses a button that was removed while the press was on its way.
func (s *stage) late(b fakegram.Button) {
	s.Helper()
	if answer := s.forge(b.Chat, b.Data); answer != "Already finished." {
		s.Errorf("a late press is told %q", answer)
	}
}

func TestQuestion_AnsweredElsewhere_IsClosedInTheChat(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "ask May I?")
		s.pass(3 * time.Second)
		stale := s.button(s.newestQuestion(anna), "Deny")
		s.must(s.hub.Answer(s.running(), "May I?", bellcord.Reply{Choice: "all"}, "ben"))
		synctest.Wait()
		s.late(stale)
		s.pass(4 * time.Second)
		s.sees(anna, "❓ May I?\n\n✓ Always — ben", "chosen: all")
	})
}

func TestClear_OpenQuestion_DeletesIt(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say Well.\nask May I?")
		s.pass(3 * time.Second)
		s.newestQuestion(anna)
		s.sendText(anna, "/clear")
		s.pass(6 * time.Second)
		s.sees(anna, clearedText)
	})
}

func TestClear_RightAfterQuestion_DeletesIt(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for range 5 {
			_, err := s.gram.Say(anna, anna, "say Well.\nask May I?")
			s.must(err)
			s.sendText(anna, "/clear")
			s.pass(8 * time.Second)
		}
		s.sees(anna, slices.Repeat([]string{clearedText}, 5)...)
	})
}

// labels returns the texts of a message's buttons.
func labels(m fakegram.Message) (words []string) {
	if m.Markup != nil {
		for _, b := range slices.Concat(m.Markup.Rows...) {
			words = append(words, b.Text)
		}
	}
	return words
}

func TestQuestion_RequiresAScope_CanOnlyBeRejectedInAChat(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "guard Run without the sandbox: `make`?")
		s.pass(3 * time.Second)
		m := s.newestQuestion(anna)
		if want := []string{"✕ Deny", "⏹ Stop"}; !slices.Equal(labels(m), want) || !strings.Contains(m.Text, "Only a person with the scope admin can allow it") {
			t.Errorf("%q with %q", m.Text, labels(m))
		}
		deny := s.button(m, "Deny")
		forged := strings.TrimSuffix(deny.Data, "1") + "0"
		if got := s.forgeOn(anna, m.ID, forged); got != "Already finished." {
			t.Errorf("a forged press is told %q", got)
		}
		s.press(anna, anna, "Deny")
		s.pass(4 * time.Second)
		if got := s.bot(anna); !slices.Contains(got, "chosen: no") {
			t.Errorf("the chat shows %q", got)
		}
	})
}

func TestQuestion_LongCommand_IsShownWholeBeforeItCanBeAllowed(t *testing.T) {
	t.Parallel()
	command := "true " + strings.Repeat("x", 6000) + "; curl evil"
	for name, of := range map[string]struct {
		text  string
		parts int
		want  []string
	}{
		"two parts":      {command, 2, []string{"✓ Once", "✓ Always", "✕ Deny", "⏹ Stop"}},
		"too many parts": {strings.Repeat(command, 5), 1, []string{"✕ Deny", "⏹ Stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStage(t, nil, func(s *stage) {
				s.prepared = of.text
				s.sendText(anna, "prepared")
				s.pass(8 * time.Second)
				var parts []fakegram.Message
				shown := ""
				for _, m := range s.gram.Chat(anna).Messages {
					if rest, is := strings.CutPrefix(m.Text, "❓ "); is {
						parts = append(parts, m)
						_, rest, _ = strings.Cut(rest, "\n")
						shown += rest
					}
				}
				if len(parts) != of.parts {
					t.Fatalf("%d parts", len(parts))
				}
				last := parts[len(parts)-1]
				if !slices.Equal(labels(last), of.want) {
					t.Errorf("the last part has %q", labels(last))
				}
				if of.parts == 1 {
					if !strings.Contains(last.Text, "cut off") || strings.Contains(last.Text, "evil") {
						t.Errorf("the question ends with %q", last.Text[len(last.Text)-100:])
					}
					return
				}
				if shown != of.text || labels(parts[0]) != nil {
					t.Errorf("%d of %d bytes are shown, and the first part has %q", len(shown), len(of.text), labels(parts[0]))
				}
				s.press(anna, anna, "Once")
				s.pass(4 * time.Second)
				if m := s.newestQuestion(anna); !strings.HasSuffix(m.Text, "✓ Once — anna") || m.Markup != nil {
					t.Errorf("after the answer: %q with %q", m.Text[len(m.Text)-100:], labels(m))
				}
			})
		})
	}
}

func TestQuestion_DeceptiveCharacters_AreVisible(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.prepared = "echo \u202e}fr- mr{\u202c; r\u200dm\u3164"
		s.sendText(anna, "prepared")
		s.pass(3 * time.Second)
		if m := s.newestQuestion(anna); m.Text != "❓ echo \ufffd}fr- mr{\ufffd; r\ufffdm\ufffd" {
			t.Errorf("%q", m.Text)
		}
	})
}

func TestQuestions_TwoAtOnce_AreAnsweredSeparately(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "asks First?|Second?")
		s.pass(5 * time.Second)
		for _, of := range [][2]string{{"Second?", "Deny"}, {"First?", "Once"}} {
			at := slices.IndexFunc(s.gram.Chat(anna).Messages, func(m fakegram.Message) bool { return m.Text == "❓ "+of[0] })
			if at < 0 {
				t.Fatalf("nobody asks %q", of[0])
			}
			_, err := s.gram.Press(anna, s.button(s.gram.Chat(anna).Messages[at], of[1]))
			s.must(err)
			s.pass(3 * time.Second)
		}
		s.pass(3 * time.Second)
		got := s.bot(anna)
		slices.Sort(got)
		if want := []string{"chosen: yes, no", "❓ First?\n\n✓ Once — anna", "❓ Second?\n\n✕ Deny — anna"}; !slices.Equal(got, want) {
			t.Errorf("the chat shows %q", got)
		}
	})
}

func TestQuestion_InGroup_OnlyListedPeopleAnswerAndStop(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Promote(group, eve, "member")
		s.sendTextIn(group, anna, "@bellcord_bot ask May I?")
		s.pass(8 * time.Second)
		for _, words := range []string{"Once", "Stop"} {
			if answer := s.press(group, eve, words); answer != "This bot is private." {
				t.Errorf("a stranger who presses %s is told %q", words, answer)
			}
		}
		s.pass(8 * time.Second)
		if m := s.newestQuestion(group); m.Text != "❓ May I?" || m.Markup == nil {
			t.Fatalf("after the stranger's presses the question is %q", m.Text)
		}
		s.press(group, ben, "Deny")
		s.pass(15 * time.Second)
		if m := s.newestQuestion(group); m.Text != "❓ May I?\n\n✕ Deny — ben" {
			t.Errorf("the question is %q", m.Text)
		}
		if got := s.bot(eve); len(got) != 0 {
			t.Errorf("the stranger was written to: %q", got)
		}
	})
}
