package wire_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/telegram/wire"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

func TestPoll_TwoHundredMessages_KeepsTheirOrder(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		var want []string
		for n := range 200 {
			want = append(want, fmt.Sprint("word ", n))
		}
		b := s.bot()
		s.sendTexts(anna, want[:150]...)
		e := s.poll(b)
		synctest.Wait()
		for _, text := range want[150:] {
			s.sendTexts(anna, text)
		}
		s.expectReceived(e, want...)
		e.hang()
	})
}

func TestPoll_UpdateConfirmed_IsAlreadyOnDisk(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		confirmed := 0
		s.Storm(func(c fakegram.Call) fakegram.Weather {
			offset, _ := strconv.Atoi(c.Params["offset"])
			for id := 700_001; c.Method == "getUpdates" && id < offset; id++ {
				confirmed++
				if !strings.Contains(s.onDisk(), fmt.Sprintf(`"update_id":%d`, id)) {
					s.Errorf("%d is confirmed and not on disk", id)
				}
			}
			return fakegram.Weather{}
		})
		e := s.poll(s.bot())
		s.sendTexts(anna, "one", "two")
		synctest.Wait()
		s.sendTexts(anna, "three")
		s.expectReceived(e, "one", "two", "three")
		e.hang()
		if confirmed == 0 {
			s.Error("nothing was confirmed")
		}
	})
}

func TestPoll_JournalClosed_ConfirmsNothing(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		if err := b.Close(); err != nil { // simulates a failing disk
			s.Fatal(err)
		}
		e := s.poll(b)
		s.sendTexts(anna, "one")
		rest(time.Minute)
		s.expectReceived(e)
		e.hang()
		for _, c := range s.CallsOf("getUpdates") {
			if c.Params["offset"] != "1" {
				s.Errorf("confirmed up to %s", c.Params["offset"])
			}
		}
		if s.log.count("update journal is closed") == 0 {
			s.Error("nobody was told")
		}
		again := s.poll(s.bot())
		s.expectReceived(again, "one")
		again.hang()
	})
}

func TestPoll_WebhookSet_RemovesItAndKeepsPendingUpdates(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.sendTexts(anna, "one")
		e := s.poll(s.bot())
		s.expectReceived(e, "one")
		e.hang()
		calls := s.Calls()
		if calls[0].Method != "deleteWebhook" || calls[0].Params["drop_pending_updates"] != "" {
			s.Errorf("the first call was %+v", calls[0])
		}
		const want = `["message","edited_message","callback_query","stopped_message_generation","my_chat_member"]`
		if p := calls[1].Params; p["timeout"] != "50" || p["allowed_updates"] != want {
			s.Errorf("polled with %v", p)
		}
	})
}

func TestPoll_ContextEnds_ReturnsNilAtOnce(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		e := s.poll(b)
		rest(7 * time.Second)
		began := time.Now()
		e.hang()
		if took := time.Since(began); took != 0 {
			s.Errorf("it took %v", took)
		}
		again := s.poll(b)
		s.sendTexts(anna, "one")
		s.expectReceived(again, "one")
		again.hang()
	})
}

func TestPoll_ContextEnded_DeliversNothingMore(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.sendTexts(anna, "one", "two")
		b := s.bot()
		ctx, cancel := context.WithCancel(s.Context())
		var received []string
		err := b.Poll(ctx, func(u wire.Update) {
			received = append(received, u.Message.Text)
			cancel()
		})
		if err != nil || len(received) != 1 {
			s.Errorf("heard %q, %v", received, err)
		}
		e := s.poll(b)
		s.expectReceived(e, "two") // the first one was already delivered in this process
		e.hang()
	})
}

// fickle is a transport that fails the first poll with context.Canceled, as if
// another request's context had ended.
type fickle struct {
	http.RoundTripper
	reported atomic.Bool
}

func (f *fickle) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/getUpdates") && f.reported.CompareAndSwap(false, true) {
		return nil, context.Canceled
	}
	return f.RoundTripper.RoundTrip(r)
}

func TestPoll_CanceledErrorOfAnotherContext_KeepsPolling(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b, err := wire.New(wire.Config{
			Token: "1:TEST", Server: "http://fake", Dir: s.dir, Poll: time.Millisecond,
			Client: &http.Client{Transport: &fickle{RoundTripper: s.client.Transport}},
		})
		if err != nil {
			s.Fatal(err)
		}
		defer b.Close()
		e := s.poll(b)
		rest(10 * time.Second)
		s.sendTexts(anna, "one")
		s.expectReceived(e, "one")
		e.hang()
		if n := len(s.CallsOf("getUpdates")); n > 12 { // a poll takes at least a second
			s.Errorf("polled %d times in 10 s", n)
		}
	})
}

func TestPoll_AlreadyListening_Fails(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		e := s.poll(b)
		synctest.Wait()
		if err := b.Poll(s.Context(), func(wire.Update) {}); err == nil {
			s.Error("a second one may listen, too")
		}
		e.hang()
	})
}

func TestPoll_AnotherPoller_RetriesAndLogsOnceAMinute(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		s.Storm(func(c fakegram.Call) fakegram.Weather {
			if c.Method == "getUpdates" {
				return fakegram.Weather{Status: http.StatusConflict}
			}
			return fakegram.Weather{}
		})
		e := s.poll(s.bot())
		s.sendTexts(anna, "one")
		rest(3*time.Minute - time.Second)
		if n := s.log.count("another program is polling with this telegram bot's token"); n != 3 {
			s.Errorf("it was said %d times", n)
		}
		if n := len(s.CallsOf("getUpdates")); n > 3*60/5+10 {
			s.Errorf("asked %d times in three minutes", n)
		}
		s.Storm(nil)
		rest(5 * time.Second)
		s.expectReceived(e, "one")
		e.hang()
	})
}

func TestPoll_AnyTemporaryFailure_Recovers(t *testing.T) {
	t.Parallel()
	for _, weather := range []fakegram.Weather{
		{Status: http.StatusBadGateway}, {RetryAfter: 20}, {LoseCall: true}, {LoseAnswer: true}, {Before: time.Hour}, {After: time.Hour},
	} {
		for _, method := range []string{"deleteWebhook", "getUpdates"} {
			onStage(t, func(s *stage) {
				left := 2
				s.Storm(func(c fakegram.Call) fakegram.Weather {
					if c.Method != method || left == 0 {
						return fakegram.Weather{}
					}
					left--
					return weather
				})
				s.sendTexts(anna, "one")
				e := s.poll(s.bot())
				rest(5 * time.Minute)
				s.sendTexts(anna, "two")
				s.expectReceived(e, "one", "two")
				e.hang()
				if s.log.count("level=WARN") == 0 {
					s.Errorf("%s in %+v: nobody was told", method, weather)
				}
			})
		}
	}
}

func TestPoll_TokenRejected_Fails(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		if err := b.Poll(s.Context(), func(wire.Update) {}); err == nil || !strings.Contains(err.Error(), "token") {
			s.Errorf("it ended with %v", err)
		}
		if _, err := b.Begin(s.Context()); err == nil {
			s.Error("it has a name")
		}
	}, fakegram.WithToken("1:OTHER"))
}

func TestPoll_RealNetwork_DeliversUpdates(t *testing.T) {
	t.Parallel()
	server := fakegram.New()
	server.AddPerson(fakegram.User{ID: anna, FirstName: "Anna"})
	running, url, err := server.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	b, err := wire.New(wire.Config{Token: "1:TEST", Server: url + "/", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if self, err := b.Begin(t.Context()); err != nil || self != (wire.Self{ID: 1, Username: "bellcord_bot", Name: "Bellcord"}) {
		t.Fatalf("it is %+v, %v", self, err)
	}
	s := &stage{T: t, Server: server}
	received := make(chan wire.Update)
	e := s.listen(func(ctx context.Context, _ func(wire.Update)) error {
		return b.Poll(ctx, func(u wire.Update) { received <- u })
	})
	s.sendTexts(anna, "one", "two")
	if one, two := <-received, <-received; one.Message.Text != "one" || two.Message.Text != "two" {
		t.Errorf("heard %+v, %+v", one.Message, two.Message)
	}
	e.hang()
	if len(server.Violations()) > 0 {
		t.Error(server.Violations())
	}
}
