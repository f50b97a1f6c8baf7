package fakegram_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

const tooOld = "Bad Request: query is too old and response timeout expired or query ID is invalid"

// offer shows a Stop button to Anna.
func (s *stage) offer() fakegram.Button {
	s.Helper()
	s.call("sendMessage", fields{"chat_id": anna, "text": "running", "reply_markup": fields{"inline_keyboard": [][]fields{
		{{"text": "Stop", "callback_data": "s:1"}},
	}}}).fine()
	b, found := s.Chat(anna).Button("Stop")
	if !found {
		s.Fatal("no button")
	}
	return b
}

func (s *stage) press(user int64, b fakegram.Button) string {
	s.Helper()
	id, err := s.Press(user, b)
	if err != nil {
		s.Fatal(err)
	}
	return id
}

func TestPress_Button_IsACallbackQueryAnsweredOnce(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		id := s.press(anna, s.offer())
		var updates []struct {
			Query struct {
				ID      string
				From    fakegram.User
				Message fakegram.Message
				Data    string
			} `json:"callback_query"`
		}
		s.call("getUpdates", nil).fine().into(&updates)
		if q := updates[0].Query; q.ID != id || q.From.ID != anna || q.Data != "s:1" || q.Message.Text != "running" {
			s.Errorf("query %+v", q)
		}
		if _, _, answered := s.Answered(id); answered {
			s.Error("answered before it was")
		}
		s.call("answerCallbackQuery", fields{"callback_query_id": id, "text": "Stopping…", "show_alert": true}).fine()
		if text, alert, ok := s.Answered(id); text != "Stopping…" || !alert || !ok {
			s.Errorf("answered %q %v %v", text, alert, ok)
		}
		s.call("answerCallbackQuery", fields{"callback_query_id": id}).refused(400, tooOld)
		s.call("answerCallbackQuery", fields{"callback_query_id": "5"}).refused(400, tooOld)
		s.rest(time.Minute)
		s.clean()
	})
}

func TestPress_AnsweredAfter15Seconds_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.offer()
		early, late := s.press(anna, b), s.press(anna, b)
		s.call("getUpdates", nil).fine()
		s.rest(15*time.Second - time.Nanosecond)
		s.call("answerCallbackQuery", fields{"callback_query_id": early}).fine()
		s.clean()
		s.rest(time.Nanosecond)
		s.call("answerCallbackQuery", fields{"callback_query_id": late}).refused(400, tooOld)
		s.broken("callback query " + late + ` (data "s:1") was not answered within 15s`)
	})
}

func TestPress_NeverDelivered_IsNoViolation(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.press(anna, s.offer())
		s.rest(time.Hour)
		s.call("getUpdates", nil).fine()
		s.rest(time.Hour)
		s.clean()
	})
}

func TestAnswerCallback_Above200Units_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		id := s.press(anna, s.offer())
		s.call("answerCallbackQuery", fields{"callback_query_id": id, "text": strings.Repeat("🔔", 100) + "a"}).refused(400, "Bad Request: MESSAGE_TOO_LONG")
		s.call("answerCallbackQuery", fields{"callback_query_id": id, "text": strings.Repeat("🔔", 100)}).fine()
	})
}

func TestPress_ButtonNotVisible_Fails(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.offer()
		if _, err := s.Press(ben, b); err == nil {
			s.Error("Ben pressed a button of Anna's")
		}
		s.call("deleteMessage", fields{"chat_id": anna, "message_id": b.Message}).fine()
		if _, err := s.Press(anna, b); err == nil {
			s.Error("a button that is gone was pressed")
		}
	})
}

func TestPress_ExcludedByAllowedUpdates_IsAViolation(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.call("getUpdates", fields{"allowed_updates": []string{"message"}}).fine()
		s.press(anna, s.offer())
		s.broken("allowed_updates leaves callback_query out")
	})
}
