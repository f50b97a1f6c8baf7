package fakegram_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

type received struct {
	ID      int64 `json:"update_id"`
	Message struct{ Text string }
}

func (s *stage) poll(params fields) (all []received) {
	s.Helper()
	s.call("getUpdates", params).fine().into(&all)
	return all
}

// polling starts a poll and returns a channel for its response.
func (s *stage) polling(params fields) <-chan *reply {
	answered := make(chan *reply, 1)
	body, err := json.Marshal(params)
	if err != nil {
		s.Fatal(err)
	}
	go func() {
		r, err := s.post("http://fake/bot1:TEST/getUpdates", "application/json", strings.NewReader(string(body)))
		if err != nil {
			s.Error(err)
		}
		answered <- r
	}()
	synctest.Wait()
	return answered
}

func TestGetUpdates_WithoutOffset_ReturnsThemAgain(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		for _, text := range []string{"one", "two", "three"} {
			s.say(anna, anna, text)
		}
		first := s.poll(fields{"limit": 2})
		if len(first) != 2 || first[0].Message.Text != "one" || first[1].ID != first[0].ID+1 {
			s.Fatalf("got %+v", first)
		}
		if again := s.poll(nil); len(again) != 3 || again[0] != first[0] {
			s.Errorf("again %+v", again)
		}
		if rest := s.poll(fields{"offset": first[1].ID + 1}); len(rest) != 1 || rest[0].Message.Text != "three" {
			s.Errorf("rest %+v", rest)
		}
		if none := s.poll(fields{"offset": first[1].ID + 2}); len(none) != 0 {
			s.Errorf("none %+v", none)
		}
		s.clean()
	})
}

func TestGetUpdates_NegativeOffset_KeepsTheNewest(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.say(anna, anna, "one")
		s.say(anna, anna, "two")
		if got := s.poll(fields{"offset": -1}); len(got) != 1 || got[0].Message.Text != "two" {
			s.Errorf("got %+v", got)
		}
		if got := s.poll(nil); len(got) != 1 {
			s.Errorf("got %+v", got)
		}
	})
}

func TestGetUpdates_LongPoll_ReturnsAtAnUpdateOrTheTimeout(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		start := time.Now()
		if got := s.poll(fields{"timeout": 20}); len(got) != 0 || time.Since(start) != 20*time.Second {
			s.Errorf("got %+v after %v", got, time.Since(start))
		}
		start = time.Now()
		s.poll(fields{"timeout": 3600})
		if took := time.Since(start); took != 50*time.Second {
			s.Errorf("Telegram's longest poll took %v", took)
		}
		answer := s.polling(fields{"timeout": 20})
		s.rest(7 * time.Second)
		start = time.Now()
		s.say(anna, anna, "now")
		if r := (<-answer).fine(); !strings.Contains(string(r.Result), `"now"`) || time.Since(start) != 0 {
			s.Errorf("got %s after %v", r.Result, time.Since(start))
		}
	})
}

func TestGetUpdates_SecondPoller_IsRefusedAndEndsTheFirst(t *testing.T) {
	t.Parallel()
	const words = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	onStage(t, func(s *stage) {
		first := s.polling(fields{"timeout": 20})
		s.call("getUpdates", fields{"timeout": 20}).refused(409, words)
		(<-first).refused(409, words)
		s.say(anna, anna, "one")
		if got := s.poll(fields{"timeout": 20}); len(got) != 1 {
			s.Errorf("the third has %+v", got)
		}
	})
}

func TestGetUpdates_PollerDisconnected_DoesNotBlockTheNext(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		ctx, leave := context.WithTimeout(s.Context(), time.Second)
		defer leave()
		if err := s.attempt(ctx, "getUpdates?timeout=20"); err == nil {
			s.Error("an answer came")
		}
		synctest.Wait()
		s.say(anna, anna, "one")
		if got := s.poll(fields{"timeout": 20}); len(got) != 1 {
			s.Errorf("got %+v", got)
		}
	})
}

func TestGetUpdates_AllowedUpdates_ApplyUntilChanged(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.say(anna, anna, "before")
		s.poll(fields{"allowed_updates": []string{"callback_query"}})
		s.say(anna, anna, "unwanted")
		if got := s.poll(nil); len(got) != 1 || got[0].Message.Text != "before" {
			s.Errorf("got %+v", got)
		}
		s.poll(fields{"allowed_updates": []string{}})
		s.say(anna, anna, "wanted")
		if got := s.poll(nil); len(got) != 2 || got[1].Message.Text != "wanted" {
			s.Errorf("got %+v", got)
		}
		s.clean()
		s.poll(fields{"allowed_updates": []string{"massage"}})
		s.broken(`allowed_updates has "massage"`)
	})
}

func TestGetUpdates_AfterADay_AreDropped(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.say(anna, anna, "one")
		s.rest(24*time.Hour - time.Nanosecond)
		if got := s.poll(nil); len(got) != 1 {
			s.Errorf("got %+v", got)
		}
		s.rest(time.Nanosecond)
		if got := s.poll(nil); len(got) != 0 {
			s.Errorf("got %+v", got)
		}
	})
}

func TestGetUpdates_LaterEdit_DoesNotChangeAQueuedUpdate(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.offer()
		s.press(anna, b)
		s.call("editMessageText", fields{"chat_id": anna, "message_id": b.Message, "text": "edited"}).fine()
		if r := s.call("getUpdates", nil).fine(); !strings.Contains(string(r.Result), `"running"`) {
			s.Errorf("got %s", r.Result)
		}
	})
}

func TestGroup_PrivacyMode_DeliversOnlyMessagesForTheBot(t *testing.T) {
	t.Parallel()
	talk := func(s *stage) (texts []string) {
		own := s.send(group, "I am here")
		s.say(group, anna, "chatter")
		s.say(group, anna, "/stop all")
		s.say(group, ben, "hey @bellcord_bot!")
		if _, err := s.Reply(group, ben, own, "a reply"); err != nil {
			s.Fatal(err)
		}
		for _, u := range s.poll(nil) {
			texts = append(texts, u.Message.Text)
		}
		return texts
	}
	onStage(t, func(s *stage) {
		if got := strings.Join(talk(s), "|"); got != "/stop all|hey @bellcord_bot!|a reply" {
			s.Errorf("heard %s", got)
		}
	})
	onStage(t, func(s *stage) {
		if got := talk(s); len(got) != 4 {
			s.Errorf("heard %q", got)
		}
	}, fakegram.WithAllGroupMessages())
}
