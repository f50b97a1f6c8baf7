package telegram_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// formButtons returns the labels of the newest question's buttons.
func (s *stage) formButtons(chat int64) []string {
	s.Helper()
	var all []string
	if m := s.newestQuestion(chat); m.Markup != nil {
		for _, b := range slices.Concat(m.Markup.Rows...) {
			all = append(all, b.Text)
		}
	}
	return all
}

func TestForm_FieldByField_ButtonsAndTheNextMessageAnswer(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "form")
		s.pass(3 * time.Second)
		if m := s.newestQuestion(anna); !strings.HasPrefix(m.Text, "❓ Where?\n\n1/4 env: one of dev, prod") {
			t.Errorf("it shows %q", m.Text)
		}
		if got := s.formButtons(anna); !slices.Equal(got, []string{"dev", "Production", "✕ Decline", "⏹ Stop"}) {
			t.Errorf("the buttons are %q", got)
		}
		s.press(anna, anna, "Production")
		s.pass(3 * time.Second)
		if m := s.newestQuestion(anna); !strings.Contains(m.Text, "2/4 count: a whole number from 1 to 9") || !strings.Contains(m.Text, "Send the value as a message") {
			t.Errorf("it shows %q", m.Text)
		}
		s.sendText(anna, "twelve")
		s.pass(3 * time.Second)
		s.expectText(`field "count": expected a whole number from 1 to 9`)
		s.sendText(anna, "7")
		s.pass(3 * time.Second)
		if answer := s.press(anna, anna, "Done"); !strings.Contains(answer, "some of mo, tu") {
			t.Errorf("an array without a choice: %q", answer)
		}
		s.press(anna, anna, "☐ tu")
		s.pass(3 * time.Second)
		if got := s.formButtons(anna); !slices.Contains(got, "☑ tu") || !slices.Contains(got, "☐ mo") {
			t.Errorf("the buttons are %q", got)
		}
		s.press(anna, anna, "Done")
		s.pass(3 * time.Second)
		s.press(anna, anna, "Yes")
		s.pass(4 * time.Second)
		s.expectText("❓ Where?\n\n✓ Accept — anna")
		s.expectText(`chosen: accept {"count":7,"days":["tu"],"env":"prod","sure":true}`)
		if m := s.newestQuestion(anna); m.Markup != nil {
			t.Errorf("there are still buttons: %+v", m.Markup)
		}
	})
}

func TestForm_DeclinedOrDefault_IsSent(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "form")
		s.pass(3 * time.Second)
		s.press(anna, anna, "Decline")
		s.pass(4 * time.Second)
		s.sees(anna, "❓ Where?\n\n✕ Decline — anna", "chosen: decline null")
	})
}

func TestURL_Question_ShowsTheAddress(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "page")
		s.pass(3 * time.Second)
		if m := s.newestQuestion(anna); m.Text != "❓ Log in\nOpen this page: https://login.example/?c=1" {
			t.Errorf("it shows %q", m.Text)
		}
		s.press(anna, anna, "Accept")
		s.pass(4 * time.Second)
		s.expectText("chosen: accept")
	})
}

func TestLaw30_StopWithOpenForm_ClosesItAndTheNextMessageIsAPrompt(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "form")
		s.pass(3 * time.Second)
		s.press(anna, anna, "dev")
		s.pass(3 * time.Second)
		late := s.button(s.newestQuestion(anna), "Decline")
		s.press(anna, anna, "Stop")
		s.late(late)
		s.pass(6 * time.Second)
		s.expectText("❓ Where?\n\n⏹ Withdrawn without an answer")
		if got := strings.Join(s.bot(anna), "\n"); strings.Contains(got, "chosen") {
			t.Errorf("a press after the stop was an answer: %q", got)
		}
		s.sendText(anna, "7")
		s.pass(4 * time.Second)
		s.expectText("You said: 7")
	})
}
