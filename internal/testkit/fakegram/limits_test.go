package fakegram_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

func TestLimits_Messages_ABurstOfThreeThenOnePerSecond(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		for range 3 {
			s.send(anna, "burst")
		}
		for range 5 {
			s.rest(time.Second)
			s.send(anna, "steady")
		}
		s.send(ben, "another chat is another matter")
		refused := s.call("sendMessage", fields{"chat_id": anna, "text": "one too many"}).refused(429, "Too Many Requests: retry after 3")
		if refused.Params.RetryAfter != 3 {
			s.Errorf("retry_after %d", refused.Params.RetryAfter)
		}
		s.rest(3 * time.Second)
		s.send(anna, "waited to the second")
		s.clean()
	})
}

func TestLimits_CallDuringTheWait_IsAViolationAndDoublesIt(t *testing.T) {
	t.Parallel()
	for _, call := range []struct {
		method string
		params fields
	}{
		{"sendMessage", fields{"chat_id": anna, "text": "x"}},
		{"sendChatAction", fields{"chat_id": anna, "action": "typing"}},
		{"deleteMessage", fields{"chat_id": anna, "message_id": 1}},
		{"getChat", fields{"chat_id": anna}},
	} {
		t.Run(call.method, func(t *testing.T) {
			t.Parallel()
			onStage(t, func(s *stage) {
				for range 3 {
					s.send(anna, "burst")
				}
				s.call("sendMessage", fields{"chat_id": anna, "text": "x"}).refused(429, "Too Many Requests: retry after 3")
				s.rest(3*time.Second - time.Millisecond)
				s.send(ben, "others need not wait")
				s.clean()
				s.call(call.method, call.params).refused(429, "Too Many Requests: retry after 6")
				s.broken("before its wait was over; it is 6 s now")
				s.rest(6 * time.Second)
				s.call(call.method, call.params).fine()
				s.broken("it is 6 s now")
			})
		})
	}
}

func TestLimits_Edits_CountSeparatelyFromMessages(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		id := s.send(anna, "text 0")
		edit := func(n int) *reply {
			return s.call("editMessageText", fields{"chat_id": anna, "message_id": id, "text": fmt.Sprint("text ", n)})
		}
		for n := range 3 {
			edit(n + 1).fine()
		}
		s.send(anna, "messages are counted apart")
		edit(4).refused(429, "Too Many Requests: retry after 3")
		s.clean()
	})
}

func TestLimits_Group_AcceptsTwentyMessagesAndEditsPerMinute(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		start := time.Now()
		id := s.send(group, "text")
		for n := range 19 {
			s.rest(2 * time.Second)
			if n%2 == 0 {
				s.send(group, "message")
			} else {
				s.call("editMessageText", fields{"chat_id": group, "message_id": id, "text": fmt.Sprint("text ", n)}).fine()
			}
		}
		s.rest(2 * time.Second)
		s.call("editMessageText", fields{"chat_id": group, "message_id": id, "text": "one too many"}).
			refused(429, "Too Many Requests: retry after 20")
		s.rest(time.Minute - time.Since(start))
		s.call("editMessageText", fields{"chat_id": group, "message_id": id, "text": "a minute later"}).fine()
		s.clean()
	})
}

func TestLimits_PrivateChat_HasNoLimitPerMinute(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		for range 40 {
			s.rest(time.Second)
			s.send(anna, "x")
		}
		s.clean()
	})
}

func TestLimits_AllChats_AcceptThirtyPerSecondThenAllCallsWait(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		for n := range int64(16) {
			s.AddPerson(fakegram.User{ID: 2000 + n, FirstName: "Somebody"})
			s.say(2000+n, 2000+n, "hello")
		}
		for n := range int64(15) {
			s.send(2000+n, "one")
			s.send(2000+n, "two")
		}
		s.call("sendMessage", fields{"chat_id": 2015, "text": "x"}).refused(429, "Too Many Requests: retry after 3")
		s.clean()
		s.call("getMe", nil).refused(429, "Too Many Requests: retry after 6")
		s.broken("before the wait for all chats was over")
		s.call("getUpdates", nil).fine()
		s.rest(6 * time.Second)
		s.call("getMe", nil).fine()
		s.send(2015, "x")
		s.broken("before the wait for all chats was over")
	})
}

func TestLimits_Drafts_CountSeparatelyFromMessages(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		draft := func(text string) *reply {
			return s.call("sendMessageDraft", fields{"chat_id": anna, "draft_id": 1, "text": text})
		}
		draft("a").fine()
		draft("ab").fine()
		for n := range 5 {
			s.rest(time.Second)
			draft(fmt.Sprint("steady ", n)).fine()
		}
		for range 3 {
			s.send(anna, "messages are counted apart")
		}
		draft("x").refused(429, "Too Many Requests: retry after 3")
		s.clean()
	})
}
