package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/piped"
)

// viewer is a client that reads a session's event stream.
type viewer struct {
	t      *testing.T
	lines  *bufio.Scanner
	header http.Header
	leave  context.CancelFunc
	seen   []shown
	beats  []time.Time
	retry  string
}

// shown is a received event.
type shown struct {
	ID      int64 // of the SSE frame
	Seq     int64
	Session bellcord.SessionID
	Turn    bellcord.TurnID
	Kind    string
	Body    json.RawMessage
}

// watch opens a stream. Close it with leave.
func (s *stage) watch(user, session, query string, changes ...func(*http.Request)) *viewer {
	s.t.Helper()
	ctx, leave := context.WithCancel(s.t.Context())
	r := s.request(user, "GET", session+"/events"+query, nil, changes...).WithContext(ctx)
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(resp.Body)
		s.t.Fatalf("status %d, %s: %s", resp.StatusCode, resp.Header.Get("Content-Type"), text)
	}
	answer{s.t, "GET " + session + "/events", resp.StatusCode, resp.Header, nil}.isSafe(nil)
	v := &viewer{t: s.t, lines: bufio.NewScanner(resp.Body), header: resp.Header}
	v.lines.Buffer(nil, 1<<20)
	v.leave = func() { leave(); _ = resp.Body.Close() }
	s.t.Cleanup(v.leave)
	return v
}

// next reads the next event; false means that the stream has ended.
func (v *viewer) next() (shown, bool) {
	v.t.Helper()
	var id int64
	for v.lines.Scan() {
		name, value, _ := strings.Cut(v.lines.Text(), ": ")
		switch name {
		case "id":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				v.t.Errorf("an id is %q", value)
			}
			id = n
		case "data":
			ev := shown{ID: id}
			if err := json.Unmarshal([]byte(value), &ev); err != nil {
				v.t.Fatalf("%v in %s", err, value)
			}
			if _, err := bellcord.DecodeBody(ev.Kind, ev.Body); err != nil {
				v.t.Error(err)
			}
			v.seen = append(v.seen, ev)
			return ev, true
		case "retry":
			v.retry = value
		case "":
			if v.lines.Text() == ": " {
				v.beats = append(v.beats, time.Now())
			}
		default:
			v.t.Errorf("a line is %q", v.lines.Text())
		}
	}
	return shown{}, false
}

// until reads to the next event of a kind.
func (v *viewer) until(kind string) shown {
	v.t.Helper()
	for {
		ev, more := v.next()
		if !more {
			v.t.Fatalf("the stream ended before %s: %v", kind, v.lines.Err())
		}
		if ev.Kind == kind {
			return ev
		}
	}
}

// rest reads to the end of the stream.
func (v *viewer) rest() {
	for {
		if _, more := v.next(); !more {
			return
		}
	}
}

// inABubble runs a test on a stage in a synctest bubble.
func inABubble(t *testing.T, do func(*stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		do(newStage(t, func(with *setup) {
			with.listen = func(s *stage) net.Listener {
				l := piped.Listen()
				s.url = "http://127.0.0.1"
				s.client.Transport = &http.Transport{DialContext: l.DialContext}
				return l
			}
		}))
	})
}
