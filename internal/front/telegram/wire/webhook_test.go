package wire_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/telegram/wire"
	"github.com/bellcord/bellcord/internal/piped"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

const hook = "http://127.0.0.1:9000/hook"

func (s *stage) serve(b *wire.Bot) *ear {
	return s.listen(func(ctx context.Context, handle func(wire.Update)) error { return b.Serve(ctx, hook, handle) })
}

// hooked runs play with a server that posts updates to the mounted handler.
func hooked(t *testing.T, play func(s *stage, mount func(http.Handler))) {
	t.Helper()
	mounted := http.NotFoundHandler()
	var ln *piped.Listener
	reach := func(ctx context.Context, network, addr string) (net.Conn, error) {
		return ln.DialContext(ctx, network, addr)
	}
	transport := &http.Transport{DialContext: reach, DisableKeepAlives: true}
	onStage(t, func(s *stage) {
		ln = piped.Listen()
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mounted.ServeHTTP(w, r) })}
		served := make(chan struct{})
		go func() { defer close(served); _ = server.Serve(ln) }()
		play(s, func(h http.Handler) { mounted = h })
		_ = server.Close()
		<-served
	}, fakegram.WithWebhookClient(&http.Client{Transport: transport}))
}

func TestServe_ManyMessages_DeliversThemInOrder(t *testing.T) {
	t.Parallel()
	hooked(t, func(s *stage, mount func(http.Handler)) {
		b := s.bot()
		mount(b.Handler())
		s.sendTexts(anna, "before")
		e := s.serve(b)
		var want []string
		for n := range 50 {
			want = append(want, fmt.Sprint("word ", n))
		}
		synctest.Wait()
		s.sendTexts(anna, want...)
		s.expectReceived(e, append([]string{"before"}, want...)...)
		e.hang()
		p := s.CallsOf("setWebhook")[0].Params
		if p["url"] != hook || p["secret_token"] != "open_sesame" || p["max_connections"] != "1" || !strings.Contains(p["allowed_updates"], "stopped_message_generation") {
			s.Errorf("set with %v", p)
		}
	})
}

func TestServe_EndedAndRestarted_DeliversWhatArrivedMeanwhile(t *testing.T) {
	t.Parallel()
	hooked(t, func(s *stage, mount func(http.Handler)) {
		b := s.bot()
		mount(b.Handler())
		e := s.serve(b)
		s.sendTexts(anna, "one")
		s.expectReceived(e, "one")
		e.hang()
		s.sendTexts(anna, "two") // the handler is still mounted: stored, but not delivered
		rest(time.Second)
		if err := b.Close(); err != nil {
			s.Error(err)
		}
		s.sendTexts(anna, "three") // refused: Telegram sends it again
		rest(time.Second)
		next := s.bot()
		mount(next.Handler())
		again := s.serve(next)
		rest(2 * time.Minute)
		s.expectReceived(again, "one", "two", "three")
		again.hang()
	})
}

// post sends a webhook request with this secret and returns the status code.
func post(b *wire.Bot, method, secret, body string) int {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, hook, strings.NewReader(body))
	if secret != "" {
		r.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
	}
	b.Handler().ServeHTTP(w, r)
	return w.Code
}

func written(id int, text string) string {
	return fmt.Sprintf(`{"update_id":%d,
		"message":{"message_id":%d,"date":1,"text":%q,"from":{"id":1001,"first_name":"Anna"},"chat":{"id":1001,"type":"private"}}}`, id, id, text)
}

func TestHandler_WrongOrMissingSecret_IsRejected(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		for _, secret := range []string{"", "open_sesam", "open_sesame ", "OPEN_SESAME", strings.Repeat("x", 1000)} {
			if code := post(b, http.MethodPost, secret, written(1, "let me in")); code != http.StatusUnauthorized {
				s.Errorf("%q is answered with %d", secret, code)
			}
		}
		if s.onDisk() != "" {
			s.Errorf("on disk is %s", s.onDisk())
		}
		open, err := wire.New(wire.Config{Token: "1:TEST", Dir: s.TempDir()})
		if err != nil {
			s.Fatal(err)
		}
		defer open.Close()
		if code := post(open, http.MethodPost, "", written(1, "let me in")); code != http.StatusUnauthorized {
			s.Errorf("without a secret it answers %d", code)
		}
		if err := open.Serve(s.Context(), hook, func(wire.Update) {}); err == nil {
			s.Error("it serves without a secret")
		}
	})
}

func TestHandler_PostAnswered_IsOnDiskAndDeliveredOnce(t *testing.T) {
	t.Parallel()
	hooked(t, func(s *stage, _ func(http.Handler)) {
		b := s.bot()
		for _, id := range []int{7, 7, 8, 7} {
			if code := post(b, http.MethodPost, "open_sesame", written(id, fmt.Sprint("word ", id))); code != http.StatusOK {
				s.Errorf("answered with %d", code)
			}
		}
		s.killed() // before any update was delivered
		next := s.bot()
		e := s.serve(next)
		s.expectReceived(e, "word 7", "word 8")
		s.handled(next, e.updates()...)
		if code := post(next, http.MethodPost, "open_sesame", written(8, "word 8")); code != http.StatusOK {
			s.Errorf("a repetition is answered with %d", code)
		}
		s.expectReceived(e, "word 7", "word 8")
		e.hang()
	})
}

func TestHandler_PostWithoutUpdate_IsRefusedOrIgnored(t *testing.T) {
	t.Parallel()
	onStage(t, func(s *stage) {
		b := s.bot()
		for name, c := range map[string]struct {
			method, body string
			want         int
		}{
			"a question":         {http.MethodGet, "", http.StatusMethodNotAllowed},
			"no JSON":            {http.MethodPost, "hello", http.StatusBadRequest},
			"no number":          {http.MethodPost, `{"message":{}}`, http.StatusBadRequest},
			"two updates":        {http.MethodPost, written(1, "a") + written(2, "b"), http.StatusBadRequest},
			"too much":           {http.MethodPost, written(1, strings.Repeat("x", 1<<20)), http.StatusRequestEntityTooLarge},
			"of no use":          {http.MethodPost, `{"update_id":5,"poll":{"id":"1"}}`, http.StatusOK},
			"nothing we can use": {http.MethodPost, `{"update_id":6,"message":"odd"}`, http.StatusOK},
		} {
			if code := post(b, c.method, "open_sesame", c.body); code != c.want {
				s.Errorf("%s: %d, not %d", name, code, c.want)
			}
		}
		if s.onDisk() != "" {
			s.Errorf("on disk is %s", s.onDisk())
		}
		if s.log.count("skipped an unreadable telegram update") != 1 || s.log.count("odd") != 0 {
			s.Error("the log is not as it should be")
		}
		if err := b.Close(); err != nil {
			s.Error(err)
		}
		if code := post(b, http.MethodPost, "open_sesame", written(1, "late")); code != http.StatusServiceUnavailable {
			s.Errorf("after its end it answers %d", code)
		}
	})
}
