package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
)

// "ClawJacked": guesses from loopback were not counted. Here they are counted,
// and the flood does not prevent a stop with a token that was not used before.
func TestFlood_BadTokensFromThisMachine_AreLimitedAndAStopSucceeds(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.door = auth.Options{} })
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang on").ID
	s.until(id, "text_delta")
	var refused, waits atomic.Int64
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := range 1250 {
				r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/me", nil)
				r.Header.Set("Authorization", fmt.Sprintf("Bearer bc_%012x_%064x", n, i))
				resp, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				switch resp.StatusCode {
				case http.StatusUnauthorized:
					refused.Add(1)
				case http.StatusTooManyRequests:
					waits.Add(1)
				default:
					t.Errorf("a bad token is answered %d", resp.StatusCode)
				}
			}
		})
	}
	s.eventually("the flood is not limited", func() bool { return waits.Load() > 100 })
	began := time.Now()
	a := s.roundTrip("stopper", "POST", "/v1/turns/"+string(turn)+"/stop", nil).is(200).stopped()
	took := time.Since(began)
	if a.State != bellcord.StopStateSettled || a.Turns[0].Receipt.End != bellcord.EndStopped {
		t.Errorf("%+v", a)
	}
	all.Wait()
	// The limit is twenty in a burst and one more per second.
	if waits.Load() < 9000 {
		t.Errorf("%d refused, %d made to wait", refused.Load(), waits.Load())
	}
	for _, user := range []string{"stopper", "bert", "reader"} {
		if a := s.roundTrip(user, "POST", "/v1/stop", nil); a.status == 429 || a.status == 401 {
			t.Errorf("%s after the flood: %d", user, a.status)
		}
	}
	t.Logf("10000 bad tokens: %d refused, %d made to wait; a stop meanwhile took %v", refused.Load(), waits.Load(), took)
	s.eventually("then nobody is made to wait", func() bool { // one attempt is refilled per second
		wait := s.roundTrip("", "GET", "/v1/me", nil)
		return wait.status == 429 && wait.header.Get("Retry-After") != ""
	})
}

func TestHeld_ForwardedForHeader_CountsOnlyFromTheProxy(t *testing.T) {
	t.Parallel()
	last := func(s *stage, via func(int) string) (status int) {
		for i := range 6 {
			status = s.roundTrip("", "GET", "/v1/me", nil, header("X-Forwarded-For", via(i))).status
		}
		return status
	}
	each := func(i int) string { return fmt.Sprintf("10.0.0.%d", i) }
	few := auth.Options{Tries: 3, Refill: time.Hour}
	if got := last(newStage(t, func(with *setup) { with.door = few }), each); got != 429 {
		t.Errorf("without a proxy: %d", got)
	}
	proxied := func(with *setup) { with.door, with.BehindProxy = few, true }
	if got := last(newStage(t, proxied), each); got != 401 {
		t.Errorf("behind a proxy, from everywhere: %d", got)
	}
	if got := last(newStage(t, proxied), func(i int) string { return each(i) + ", 192.0.2.1" }); got != 429 {
		t.Errorf("behind a proxy, with a claim before its word: %d", got)
	}
}

func TestBody_AboveTheSizeLimit_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	text := func(size int) string { return `{"text":"` + strings.Repeat("x", size-len(`{"text":""}`)) + `"}` }
	s.roundTrip("anna", "POST", "/v1/sessions", text(1<<20+1)).isA(413, "too-large")
	s.roundTrip("anna", "POST", "/v1/stop", text(1<<20+1)).isA(413, "too-large")
	s.roundTrip("anna", "POST", path+"/turns", text(1<<20+1)).is(202)
	s.roundTrip("anna", "POST", path+"/turns", text(32<<20+1)).isA(413, "too-large")
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	s.roundTrip("anna", "POST", "/v1/sessions", text(1<<20+1), chunked).isA(413, "too-large")
	resp := s.raw("GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + strings.Repeat("x", 64<<10) + "\r\n\r\n")
	if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("long headers: %d", resp.StatusCode)
	}
}

// Slowloris: a client that sends byte by byte is disconnected, with credentials
// or without.
func TestHeld_SlowRequest_IsDisconnected(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.BodyTime = 500 * time.Millisecond })
	for name, begin := range map[string]string{
		"headers":                         "GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
		"a body":                          s.rawPost("/v1/sessions", 100_000),
		"a body of nobody's":              "POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n",
		"a body for another host":         "POST /v1/sessions HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100000\r\n\r\n",
		"a body that is no JSON":          strings.Replace(s.rawPost("/v1/sessions", 100_000), "application/json", "text/plain", 1),
		"a body that nobody asked for":    "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n",
		"a body to log in with":           "POST /v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
		"a body that says it will follow": strings.Replace(s.rawPost("/v1/sessions", 100_000), "Content-Type", "Expect: 100-continue\r\nContent-Type", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := s.dial()
			began := time.Now()
			_, _ = io.WriteString(conn, begin)
			cut := make(chan struct{})
			go func() {
				defer close(cut)
				_, _ = io.Copy(io.Discard, conn) // until the server closes the connection
			}()
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for time.Since(began) < patient {
				select {
				case <-cut:
					return
				case <-tick.C:
					_, _ = io.WriteString(conn, " ")
				}
			}
			t.Error("it may go on for ever")
		})
	}
}

func TestHeld_LineBreakInInput_ReachesNoHeader(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, op := range s.operations() {
		bad := "x%0d%0aX-Injected:%20yes"
		s.roundTrip("anna", op.method, op.at(bad, bad, bad), op.body())
	}
	for _, name := range []string{"Idempotency-Key", "Last-Event-ID"} {
		for _, ending := range []string{"\r", "\n ", "\x00", "\r\n\t"} {
			resp := s.raw("POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + s.tokens["anna"] + "\r\n" + name + ": a" + ending + "X-Injected: yes\r\n\r\n")
			if resp.Header.Get("X-Injected") != "" || strings.ContainsAny(resp.Header.Get("Location"), "\r\n") {
				t.Errorf("%s with %q: %v", name, ending, resp.Header)
			}
		}
	}
}
