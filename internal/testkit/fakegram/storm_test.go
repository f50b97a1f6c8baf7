package fakegram_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// once injects faults into the first call of a method.
func once(method string, w fakegram.Weather) func(fakegram.Call) fakegram.Weather {
	left := 1
	return func(c fakegram.Call) fakegram.Weather {
		if c.Method != method || left == 0 {
			return fakegram.Weather{}
		}
		left--
		return w
	}
}

func TestStorm_RetryAfter_ImposesTheWait(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.Storm(once("sendMessage", fakegram.Weather{RetryAfter: 30}))
		if r := s.call("sendMessage", fields{"chat_id": anna, "text": "x"}).refused(429, "Too Many Requests: retry after 30"); r.Params.RetryAfter != 30 {
			s.Errorf("retry after %d", r.Params.RetryAfter)
		}
		s.send(ben, "x")
		s.rest(29 * time.Second)
		s.clean()
		s.call("sendMessage", fields{"chat_id": anna, "text": "x"}).refused(429, "Too Many Requests: retry after 60")
		s.broken("before its wait was over")
	})
}

func TestStorm_RetryAfterOfAPoll_AppliesToPollsOnly(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.Storm(once("getUpdates", fakegram.Weather{RetryAfter: 5}))
		s.call("getUpdates", nil).refused(429, "Too Many Requests: retry after 5")
		s.send(anna, "x")
		s.clean()
		s.call("getUpdates", nil).refused(429, "Too Many Requests: retry after 10")
		s.broken("a poll before its wait was over")
		s.rest(10 * time.Second)
		s.call("getUpdates", nil).fine()
	})
}

func TestStorm_RetryAfterDuringAWait_DoublesIt(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.Storm(func(fakegram.Call) fakegram.Weather { return fakegram.Weather{RetryAfter: 5} })
		s.call("sendMessage", fields{"chat_id": anna, "text": "x"}).refused(429, "Too Many Requests: retry after 5")
		s.call("sendMessage", fields{"chat_id": ben, "text": "x"}).refused(429, "Too Many Requests: retry after 5")
		s.clean()
		s.call("sendMessage", fields{"chat_id": anna, "text": "x"}).refused(429, "Too Many Requests: retry after 10")
		s.broken("a call before a wait was over; it is 10 s now")
	})
}

func TestStorm_Status_RefusesTheCall(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.Storm(once("sendMessage", fakegram.Weather{Status: 502}))
		s.call("sendMessage", fields{"chat_id": anna, "text": "x"}).refused(502, "Bad Gateway")
		s.send(anna, "y")
		if got := s.Chat(anna).Messages; len(got) != 2 {
			s.Errorf("messages %+v", got)
		}
	})
}

func TestStorm_Delays_ApplyToTheEffectAndTheResponse(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.Storm(once("sendMessage", fakegram.Weather{Before: 2 * time.Second, After: 3 * time.Second}))
		start := time.Now()
		answered := make(chan time.Duration, 1)
		go func() { s.send(anna, "slow"); answered <- time.Since(start) }()
		view, err := s.WaitChat(s.Context(), anna, func(v fakegram.View) bool { return v.Last().Text == "slow" })
		if took := time.Since(start); err != nil || took != 2*time.Second || len(view.Messages) != 2 {
			s.Errorf("seen after %v (%v): %+v", took, err, view)
		}
		if took := <-answered; took != 5*time.Second {
			s.Errorf("answered after %v", took)
		}
	})
}

func TestStorm_LostCallOrAnswer_HasNoEffectOrAll(t *testing.T) {
	t.Parallel()
	for weather, messages := range map[fakegram.Weather]int{{LoseCall: true}: 1, {LoseAnswer: true}: 2} {
		onStage(t, func(s *stage) {
			s.Storm(once("sendMessage", weather))
			_, err := s.post("http://fake/bot1:TEST/sendMessage", "application/json", strings.NewReader(`{"chat_id":1001,"text":"x"}`))
			if err == nil {
				s.Error("an answer came")
			}
			if got := s.Chat(anna).Messages; len(got) != messages {
				s.Errorf("messages %+v", got)
			}
			if c := s.CallsOf("sendMessage"); len(c) != 1 || !c[0].Answered.IsZero() || c[0].Status != 0 {
				s.Errorf("calls %+v", c)
			}
		})
	}
}

func TestStorm_LostUpdates_ComeAgainWithoutAViolation(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.press(anna, s.offer())
		s.Storm(once("getUpdates", fakegram.Weather{LoseAnswer: true}))
		if err := s.attempt(s.Context(), "getUpdates"); err == nil {
			s.Error("an answer came")
		}
		s.rest(time.Minute)
		s.clean()
		if got := s.poll(nil); len(got) != 1 {
			s.Errorf("got %+v", got)
		}
	})
}

func TestStorm_Words_AreInTheErrorText(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.Storm(once("sendMessage", fakegram.Weather{Status: 400, Words: "can't parse entities: so it is"}))
		s.call("sendMessage", fields{"chat_id": anna, "text": "x"}).refused(400, "Bad Request: can't parse entities: so it is")
		s.send(anna, "x")
		s.clean()
	})
}
