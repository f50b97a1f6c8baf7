package fakegram_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/piped"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// hook is the bot's end of a webhook, in memory.
type hook struct {
	mu       sync.Mutex
	received []string
	at       []time.Time
	secrets  []string
	answer   func(n int) int // returns the status for the nth post, from 0
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var u received
	_ = json.NewDecoder(r.Body).Decode(&u)
	h.received = append(h.received, u.Message.Text)
	h.at = append(h.at, time.Now())
	h.secrets = append(h.secrets, r.Header.Get("X-Telegram-Bot-Api-Secret-Token"))
	status := http.StatusOK
	if h.answer != nil {
		status = h.answer(len(h.received) - 1)
	}
	w.WriteHeader(status)
}

// withHook runs play with a server that posts to the hook.
func withHook(t *testing.T, h *hook, play func(*stage)) {
	synctest.Test(t, func(t *testing.T) {
		ln := piped.Listen()
		transport := &http.Transport{DialContext: ln.DialContext}
		server := &http.Server{Handler: h}
		served := make(chan struct{})
		go func() { defer close(served); _ = server.Serve(ln) }()
		s := &stage{T: t, Server: fakegram.New(fakegram.WithWebhookClient(&http.Client{Transport: transport}))}
		var stop func()
		s.client, stop = s.Pipe()
		s.AddPerson(fakegram.User{ID: anna, FirstName: "Anna"})
		play(s)
		stop()
		_ = server.Close()
		<-served
		transport.CloseIdleConnections()
	})
}

func TestWebhook_Updates_ArriveInOrderWithTheSecret(t *testing.T) {
	t.Parallel()
	h := &hook{}
	withHook(t, h, func(s *stage) {
		s.say(anna, anna, "one")
		s.call("setWebhook", fields{"url": "http://127.0.0.1:9000/hook", "secret_token": "s3cret_-"}).fine()
		s.say(anna, anna, "two")
		s.say(anna, anna, "three")
		synctest.Wait()
		if got := strings.Join(h.received, " "); got != "one two three" || h.secrets[0] != "s3cret_-" || h.secrets[2] != "s3cret_-" {
			s.Errorf("heard %q with %q", got, h.secrets)
		}
		s.clean()
	})
}

func TestWebhook_PostFails_IsRetriedBeforeLaterUpdates(t *testing.T) {
	t.Parallel()
	h := &hook{answer: func(n int) int {
		if n < 3 {
			return http.StatusBadGateway
		}
		return http.StatusNoContent
	}}
	withHook(t, h, func(s *stage) {
		start := time.Now()
		s.call("setWebhook", fields{"url": "http://127.0.0.1:9000/hook"}).fine()
		s.say(anna, anna, "one")
		s.say(anna, anna, "two")
		s.rest(2 * time.Second)
		synctest.Wait()
		var info struct {
			URL     string
			Pending int    `json:"pending_update_count"`
			Error   string `json:"last_error_message"`
		}
		s.call("getWebhookInfo", nil).fine().into(&info)
		if info.Pending != 2 || info.Error != "Wrong response from the webhook: 502 Bad Gateway" || info.URL != "http://127.0.0.1:9000/hook" {
			s.Errorf("info %+v", info)
		}
		s.rest(time.Minute)
		synctest.Wait()
		if got := strings.Join(h.received, " "); got != "one one one one two" {
			s.Errorf("heard %q", got)
		}
		for n, want := range []time.Duration{0, 1, 3, 7, 7} {
			if got := h.at[n].Sub(start); got != want*time.Second {
				s.Errorf("post %d came after %v", n, got)
			}
		}
		s.clean()
	})
}

func TestWebhook_Poller_ExcludeEachOther(t *testing.T) {
	t.Parallel()
	withHook(t, &hook{}, func(s *stage) {
		poll := s.polling(fields{"timeout": 20})
		s.call("setWebhook", fields{"url": "http://127.0.0.1:9000/hook"}).fine()
		(<-poll).refused(409, "Conflict: terminated by setWebhook request")
		s.call("getUpdates", nil).refused(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
		s.call("deleteWebhook", nil).fine()
		s.say(anna, anna, "one")
		if got := s.poll(nil); len(got) != 1 {
			s.Errorf("got %+v", got)
		}
		s.call("deleteWebhook", fields{"drop_pending_updates": true}).fine()
		if got := s.poll(nil); len(got) != 0 {
			s.Errorf("got %+v", got)
		}
	})
}

func TestWebhook_InvalidURLOrSecret_IsRefused(t *testing.T) {
	t.Parallel()
	withHook(t, &hook{}, func(s *stage) {
		for target, words := range map[string]string{
			"http://bot.example/":       "Bad Request: bad webhook: An HTTPS URL must be provided for webhook",
			"https://bot.example:9000/": "Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443",
			"nonsense":                  "Bad Request: bad webhook: URL host is empty",
		} {
			s.call("setWebhook", fields{"url": target}).refused(400, words)
		}
		s.call("setWebhook", fields{"url": "http://127.0.0.1:9000/"}).fine()
		s.call("setWebhook", fields{"url": "https://bot.example:8443/", "secret_token": strings.Repeat("a", 256)}).fine()
		s.call("setWebhook", fields{"url": "https://bot.example/", "secret_token": strings.Repeat("a", 257)}).refused(400, "Bad Request: secret token is too long")
		s.call("setWebhook", fields{"url": "https://bot.example/", "secret_token": "a b"}).refused(400, "Bad Request: secret token contains unallowed characters")
		s.clean()
	})
}
