package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
)

// frame returns an event as a message of the stream.
func frame(t *testing.T, seq int64) string {
	t.Helper()
	text, err := json.Marshal(bellcord.Event{Session: "s", Seq: seq, Turn: "t", Body: bellcord.TextDelta{Text: fmt.Sprint("word ", seq)}})
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprintf("id: %d\ndata: %s\n\n", seq, text)
}

// carrier answers the nth request.
type carrier func(r *http.Request, nth int) (*http.Response, error)

type counted struct {
	carry carrier
	nth   int
	at    []time.Time
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.nth++
	c.at = append(c.at, time.Now())
	return c.carry(r, c.nth)
}

func answer(status int, kind string, body io.ReadCloser) (*http.Response, error) {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: body}, nil
}

func events(text string) (*http.Response, error) {
	return answer(http.StatusOK, "text/event-stream", io.NopCloser(strings.NewReader(text)))
}

// hangs sends a text and then nothing until the request is cancelled.
func hangs(r *http.Request, text string) (*http.Response, error) {
	out, in := io.Pipe()
	go func() {
		_, _ = io.WriteString(in, text)
		<-r.Context().Done()
		_ = in.CloseWithError(r.Context().Err())
	}()
	return answer(http.StatusOK, "text/event-stream", out)
}

func stream(t *testing.T, carry carrier) (*client.Stream, *counted) {
	t.Helper()
	c, err := client.New("http://localhost", "")
	if err != nil {
		t.Fatal(err)
	}
	through := &counted{carry: carry}
	s := c.Through(through).Events("s", 0)
	t.Cleanup(s.Close)
	return s, through
}

// behind returns the sequence number after which a request continues.
func behind(t *testing.T, r *http.Request) int64 {
	t.Helper()
	after, err := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	if header := r.Header.Get("Last-Event-ID"); err != nil || after > 0 && header != strconv.FormatInt(after, 10) {
		t.Errorf("after %q, Last-Event-ID %q", r.URL.RawQuery, header)
	}
	return after
}

func TestStream_ConnectionBreaks_ContinuesWithoutGapOrRepetition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const all = 40
		s, through := stream(t, func(r *http.Request, nth int) (*http.Response, error) {
			after := behind(t, r)
			switch nth % 4 {
			case 0:
				return nil, errors.New("connection refused")
			case 1: // breaks in the middle of an event
				half := frame(t, after+3)
				return events("retry: 300\n\n" + frame(t, after+1) + frame(t, after+2) + half[:len(half)-5])
			case 2: // starts too early
				return events(frame(t, max(after-1, 1)) + frame(t, max(after, 1)) + frame(t, after+1))
			}
			return events(frame(t, after+1) + frame(t, after+3)) // skips an event
		})
		for want := int64(1); want <= all; want++ {
			got, err := s.Next(t.Context())
			if err != nil || len(got) != 1 || got[0].Seq != want || !reflect.DeepEqual(got[0].Body, bellcord.Body(bellcord.TextDelta{Text: fmt.Sprint("word ", want)})) || got[0].Session != "s" || got[0].Turn != "t" {
				t.Fatalf("%+v, %v; want event %d", got, err, want)
			}
		}
		t.Logf("%d events over %d connections", all, through.nth)
	})
}

func TestStream_AtEnd_IsTrueAfterTheLastEventThatTheServerHad(t *testing.T) {
	t.Parallel()
	s, _ := stream(t, func(*http.Request, int) (*http.Response, error) {
		res, err := events(frame(t, 1) + frame(t, 2) + frame(t, 3))
		res.Header.Set(api.LastEventHeader, "2")
		return res, err
	})
	got := []bool{s.AtEnd()}
	for range 3 {
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		got = append(got, s.AtEnd())
	}
	if !slices.Equal(got, []bool{false, false, true, true}) {
		t.Errorf("at the end: %v", got)
	}
}

func TestStream_ServerUnreachable_PausesDoubleUpToFiveSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, through := stream(t, func(_ *http.Request, nth int) (*http.Response, error) {
			if nth == 9 {
				return events(frame(t, 1))
			}
			return nil, errors.New("connection refused")
		})
		losses := 0
		s.Lost = func(error) { losses++ }
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		least := 250 * time.Millisecond
		for i := range 8 {
			pause := through.at[i+1].Sub(through.at[i])
			if pause < least || pause > min(least+least/4, 5*time.Second) {
				t.Errorf("pause %d: %v, want %v or a little more", i+1, pause, least)
			}
			least = min(2*least, 5*time.Second)
		}
		if losses != 1 {
			t.Errorf("it was told %d times that the server is lost", losses)
		}
	})
}

func TestStream_RetryField_SetsThePauseWithinLimits(t *testing.T) {
	t.Parallel()
	for retry, want := range map[string]time.Duration{"1000": time.Second, "1": 250 * time.Millisecond, "3600000": 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s, through := stream(t, func(r *http.Request, _ int) (*http.Response, error) {
				return events("retry: " + retry + "\n\n" + frame(t, behind(t, r)+1))
			})
			for range 3 {
				if _, err := s.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 2 {
				if pause := through.at[i+1].Sub(through.at[i]); pause < want || pause > want+want/4 {
					t.Errorf("retry %s: a pause of %v", retry, pause)
				}
			}
		})
	}
}

func TestStream_ErrorStatus_EndsTheStreamUnlessItIsTemporary(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status int
		ends   bool
	}{
		{401, true},
		{403, true},
		{404, true},
		{400, true},
		{307, true},
		{204, true},
		{200, true}, // with a content type that is not an event stream
		{429, false},
		{408, false},
		{500, false},
		{503, false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, through := stream(t, func(_ *http.Request, nth int) (*http.Response, error) {
					if nth < 3 {
						return answer(test.status, "application/problem+json", io.NopCloser(strings.NewReader(`{"detail":"no"}`)))
					}
					return events(frame(t, 1))
				})
				_, err := s.Next(t.Context())
				if (err != nil) != test.ends || (through.nth == 1) != test.ends {
					t.Errorf("%v after %d attempts", err, through.nth)
				}
				var p *client.Problem
				if test.status >= 400 && test.ends && (!errors.As(err, &p) || p.Status != test.status || p.Error() != "no") {
					t.Errorf("%+v", err)
				}
			})
		})
	}
}

func TestStreamNext_ContextEnds_ReturnsItsCause(t *testing.T) {
	t.Parallel()
	why := errors.New("enough")
	for name, carry := range map[string]carrier{
		"an answer": func(r *http.Request, _ int) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
		"an event":     func(r *http.Request, _ int) (*http.Response, error) { return hangs(r, ": \n") },
		"half of one":  func(r *http.Request, _ int) (*http.Response, error) { return hangs(r, "data: {") },
		"another time": func(*http.Request, int) (*http.Response, error) { return nil, errors.New("connection refused") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, _ := stream(t, carry)
				ctx, end := context.WithCancelCause(t.Context())
				begun := time.Now()
				time.AfterFunc(10*time.Second, func() { end(why) })
				if _, err := s.Next(ctx); !errors.Is(err, why) || time.Since(begun) != 10*time.Second {
					t.Errorf("%v after %v", err, time.Since(begun))
				}
			})
		})
	}
}

func TestStreamNext_CancelledCall_LosesNoEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := stream(t, func(r *http.Request, _ int) (*http.Response, error) {
			if behind(t, r) == 0 {
				return hangs(r, frame(t, 1))
			}
			return events(frame(t, 2))
		})
		for seq := int64(1); seq <= 2; {
			ctx, done := context.WithTimeout(t.Context(), time.Second)
			got, err := s.Next(ctx)
			done()
			if err == nil {
				if got[0].Seq != seq {
					t.Fatalf("event %d, want %d", got[0].Seq, seq)
				}
				seq++
			}
		}
	})
}

func TestStream_SilentConnection_Reconnects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, through := stream(t, func(r *http.Request, nth int) (*http.Response, error) {
			if nth == 1 {
				return hangs(r, "retry: 1000\n\n: \n")
			}
			return events(frame(t, 1))
		})
		if _, err := s.Next(t.Context()); err != nil || through.nth != 2 {
			t.Fatalf("%v after %d attempts", err, through.nth)
		}
		if took := through.at[1].Sub(through.at[0]); took < 45*time.Second || took > 47*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestStream_ServerSkipsEvents_FailsAfterThreeAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, through := stream(t, func(*http.Request, int) (*http.Response, error) { return events(frame(t, 5)) })
		_, err := s.Next(t.Context())
		if err == nil || !strings.Contains(err.Error(), "skipped the events") || through.nth != 3 {
			t.Errorf("%v after %d attempts", err, through.nth)
		}
	})
}

func TestStreamNext_InvalidEvent_ReturnsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"id: 1\ndata: {\n\n":                       "event 1: ",
		"id: 1\ndata: {\"seq\":1,\"body\":{}}\n\n": `event 1: event without a kind`,
	} {
		s, _ := stream(t, func(*http.Request, int) (*http.Response, error) { return events(text) })
		if _, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A newer server has kinds of events that this client does not have.
func TestStreamNext_UnknownKind_IsReturnedAndTheStreamContinues(t *testing.T) {
	t.Parallel()
	text := "id: 1\ndata: {\"seq\":1,\"kind\":\"text_delta\",\"body\":{\"text\":\"a\",\"new_field\":1}}\n\n" +
		"id: 2\ndata: {\"seq\":2,\"kind\":\"brand_new\",\"body\":{\"x\":1}}\n\n" +
		"id: 3\ndata: {\"seq\":3,\"kind\":\"text_delta\",\"body\":{\"text\":\"b\"}}\n\n"
	s, _ := stream(t, func(*http.Request, int) (*http.Response, error) { return events(text) })
	var got []bellcord.Body
	for len(got) < 3 {
		all, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("after %v: %v", got, err)
		}
		for _, ev := range all {
			got = append(got, ev.Body)
		}
	}
	if u, is := got[1].(bellcord.UnknownEvent); !is || u.Name != "brand_new" || string(u.Data) != `{"x":1}` {
		t.Errorf("the second event is %T %v", got[1], got[1])
	}
}
