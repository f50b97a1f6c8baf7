package fakegram_test

import (
	"testing"
	"time"
)

func (s *stage) draft(id int, text string, more fields) *reply {
	s.Helper()
	params := fields{"chat_id": anna, "draft_id": id, "text": text}
	for name, value := range more {
		params[name] = value
	}
	return s.call("sendMessageDraft", params)
}

var stoppable = fields{"can_stop": true}

func TestDraft_NoUpdate_DisappearsAfter30Seconds(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.draft(7, "one", nil).fine()
		s.rest(20 * time.Second)
		s.draft(7, "one two", nil).fine()
		s.rest(30*time.Second - time.Nanosecond)
		if d, live := s.Chat(anna).Draft(); !live || d.Text != "one two" || d.Updates != 1 || d.CanStop {
			s.Errorf("draft %+v, live %v", d, live)
		}
		s.rest(time.Nanosecond)
		if d, live := s.Chat(anna).Draft(); live {
			s.Errorf("still there: %+v", d)
		}
		s.clean()
	})
}

func TestWait_DraftExpires_Returns(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.draft(7, "one", nil).fine()
		start := time.Now()
		if err := s.Wait(s.Context(), func() bool { return len(s.Chat(anna).Drafts) == 0 }); err != nil {
			s.Fatal(err)
		}
		if took := time.Since(start); took != 30*time.Second {
			s.Errorf("it took %v", took)
		}
	})
}

func TestDraft_WithoutText_ShowsThinking(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.draft(7, "", nil).fine()
		if d, live := s.Chat(anna).Draft(); !live || d.Text != "Thinking…" || !d.Thinking {
			s.Errorf("draft %+v", d)
		}
	})
}

func TestDraft_OtherID_ReplacesTheFirstWithoutAnimation(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.draft(7, "one", nil).fine()
		s.draft(8, "two", nil).fine()
		if d, _ := s.Chat(anna).Draft(); d.ID != 8 || d.Updates != 0 {
			s.Errorf("draft %+v", d)
		}
	})
}

func TestDraft_RealMessageInItsThread_DismissesIt(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		thread := s.OpenThread(anna)
		s.draft(7, "one", nil).fine()
		s.draft(8, "two", fields{"message_thread_id": thread}).fine()
		s.say(anna, anna, "a person's word dismisses nothing")
		if n := len(s.Chat(anna).Drafts); n != 2 {
			s.Fatalf("%d drafts", n)
		}
		s.send(anna, "real")
		if left := s.Chat(anna).Drafts; len(left) != 1 || left[0].ID != 8 {
			s.Errorf("left %+v", left)
		}
		s.call("sendMessage", fields{"chat_id": anna, "text": "real", "message_thread_id": thread}).fine()
		if left := s.Chat(anna).Drafts; len(left) != 0 {
			s.Errorf("left %+v", left)
		}
		s.clean()
	})
}

func TestDraft_GroupOrMissingID_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.call("sendMessageDraft", fields{"chat_id": group, "draft_id": 1, "text": "x"}).refused(400, "Bad Request: TEXTDRAFT_PEER_INVALID")
		s.draft(0, "x", nil).refused(400, "Bad Request: draft_id must be non-zero")
		s.call("sendMessageDraft", fields{"chat_id": anna, "text": "x"}).refused(400, "Bad Request: draft_id must be non-zero")
		s.rest(2 * time.Second)
		s.draft(1, "x", fields{"message_thread_id": 99}).refused(400, "Bad Request: message thread not found")
	})
}

func TestPressStop_LiveDraft_SendsAnUpdateAndRemovesTheDraft(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		thread := s.OpenThread(anna)
		s.draft(7, "one", fields{"can_stop": true, "message_thread_id": thread}).fine()
		if err := s.PressStopIn(anna, thread); err != nil {
			s.Fatal(err)
		}
		if left := s.Chat(anna).Drafts; len(left) != 0 {
			s.Errorf("left %+v", left)
		}
		var updates []struct {
			Stopped *struct {
				Chat   struct{ ID int64 }
				Thread int `json:"message_thread_id"`
				Draft  int `json:"draft_id"`
			} `json:"stopped_message_generation"`
		}
		s.call("getUpdates", nil).fine().into(&updates)
		if len(updates) != 1 || updates[0].Stopped.Chat.ID != anna || updates[0].Stopped.Draft != 7 || updates[0].Stopped.Thread != thread {
			s.Errorf("updates %+v", updates)
		}
		s.clean()
	})
}

func TestPressStop_KeepOnStop_KeepsTheDraftWithoutItsButton(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.draft(7, "one", fields{"can_stop": true, "keep_on_stop": true}).fine()
		s.rest(10 * time.Second)
		if err := s.PressStop(anna); err != nil {
			s.Fatal(err)
		}
		if d, live := s.Chat(anna).Draft(); !live || d.CanStop || !d.Stopped || d.Text != "one" {
			s.Errorf("draft %+v, live %v", d, live)
		}
		if s.PressStop(anna) == nil {
			s.Error("the button could be pressed twice")
		}
		s.rest(20 * time.Second)
		if _, live := s.Chat(anna).Draft(); live {
			s.Error("it is kept for ever")
		}
	})
}

func TestPressStop_NoStoppableDraft_Fails(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		if s.PressStop(anna) == nil {
			s.Error("stopped nothing")
		}
		s.draft(7, "one", nil).fine()
		if s.PressStop(anna) == nil {
			s.Error("stopped a draft without can_stop")
		}
		s.draft(7, "one", stoppable).fine()
		s.rest(30 * time.Second)
		if s.PressStop(anna) == nil {
			s.Error("stopped a draft that is gone")
		}
	})
}

func TestDraft_UpdatedAfterTheStopWasDelivered_IsAViolation(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		onStage(t, func(s *stage) {
			s.draft(7, "one", fields{"can_stop": true, "keep_on_stop": keep}).fine()
			if err := s.PressStop(anna); err != nil {
				s.Fatal(err)
			}
			s.rest(5 * time.Second)
			s.draft(7, "the bot does not know yet", stoppable).fine()
			s.call("getUpdates", nil).fine()
			s.rest(time.Second)
			s.draft(7, "was under way", stoppable).fine()
			s.clean()
			s.rest(time.Second)
			s.draft(8, "another one is another matter", nil).fine()
			s.clean()
			s.draft(7, "goes on", stoppable).fine()
			s.broken("draft 7 of chat 1001 goes on although the bot was told 2s ago")
			if d, _ := s.Chat(anna).Draft(); d.ID != 8 {
				s.Errorf("a stopped draft is seen: %+v", d)
			}
		})
	}
}

func TestPressStop_ExcludedByAllowedUpdates_IsAViolation(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.call("getUpdates", fields{"allowed_updates": []string{"message"}}).fine()
		s.draft(7, "one", stoppable).fine()
		if err := s.PressStop(anna); err != nil {
			s.Fatal(err)
		}
		s.broken("allowed_updates leaves stopped_message_generation out")
	})
}

func TestChatAction_Typing_EndsAfterFiveSecondsOrAMessage(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		typing := fields{"chat_id": anna, "action": "typing"}
		s.call("sendChatAction", typing).fine()
		s.rest(5*time.Second - time.Nanosecond)
		if s.Chat(anna).Action != "typing" {
			s.Error("it ended early")
		}
		s.rest(time.Nanosecond)
		if s.Chat(anna).Action != "" {
			s.Error("it did not end")
		}
		s.call("sendChatAction", typing).fine()
		s.send(anna, "x")
		if s.Chat(anna).Action != "" {
			s.Error("the message did not end it")
		}
		s.call("sendChatAction", fields{"chat_id": anna, "action": "sing"}).refused(400, "Bad Request: wrong parameter action in request")
	})
}
