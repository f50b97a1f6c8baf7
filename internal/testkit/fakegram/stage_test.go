package fakegram_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

const (
	anna  = int64(1001)
	ben   = int64(1002)
	group = int64(-1001)
	bot   = int64(1)
)

// stage is a server in a synctest bubble with two people, their started chats,
// and a group of both.
type stage struct {
	*testing.T
	*fakegram.Server
	client *http.Client
}

func onStage(t *testing.T, play func(*stage), opts ...fakegram.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{T: t, Server: fakegram.New(opts...)}
		var stop func()
		s.client, stop = s.Pipe()
		defer stop()
		s.AddPerson(fakegram.User{ID: anna, FirstName: "Anna"})
		s.AddPerson(fakegram.User{ID: ben, FirstName: "Ben"})
		s.AddGroup(group, "Ringers", anna, ben)
		s.say(anna, anna, "hello")
		s.say(ben, ben, "hello")
		s.call("getUpdates", fields{"offset": -1}).fine()
		s.call("getUpdates", fields{"offset": 1 << 40}).fine()
		play(s)
	})
}

type fields map[string]any

// reply is a response of the API.
type reply struct {
	t      *testing.T
	of     string
	Status int
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result"`
	Code   int             `json:"error_code"`
	Words  string          `json:"description"`
	Params struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

func (s *stage) call(method string, params fields) *reply {
	s.Helper()
	body, err := json.Marshal(params)
	if err != nil {
		s.Fatal(err)
	}
	r, err := s.post("http://fake/bot1:TEST/"+method, "application/json", bytes.NewReader(body))
	if err != nil {
		s.Fatalf("%s: %v", method, err)
	}
	return r
}

func (s *stage) post(url, kind string, body io.Reader) (*reply, error) {
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", kind)
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	r := &reply{t: s.T, of: url, Status: resp.StatusCode}
	return r, json.NewDecoder(resp.Body).Decode(r)
}

// send sends a message to a chat and returns its ID.
func (s *stage) send(chat int64, text string) int {
	s.Helper()
	return s.call("sendMessage", fields{"chat_id": chat, "text": text}).message().ID
}

func (s *stage) say(chat, user int64, text string) fakegram.Message {
	s.Helper()
	m, err := s.Say(chat, user, text)
	if err != nil {
		s.Fatal(err)
	}
	return m
}

// rest lets time pass.
func (s *stage) rest(d time.Duration) { <-time.After(d) }

// fine checks that a call succeeded.
func (r *reply) fine() *reply {
	r.t.Helper()
	if !r.OK || r.Status != 200 {
		r.t.Fatalf("%s: %d %q", r.of, r.Status, r.Words)
	}
	return r
}

// refused checks status and error text; words that end in … are a prefix.
func (r *reply) refused(code int, words string) *reply {
	r.t.Helper()
	beginning, open := strings.CutSuffix(words, "…")
	if r.OK || r.Status != code || r.Code != code || r.Words != words && (!open || !strings.HasPrefix(r.Words, beginning)) {
		r.t.Errorf("%s: %d %q, not %d %q", r.of, r.Status, r.Words, code, words)
	}
	return r
}

func (r *reply) message() (m fakegram.Message) {
	r.t.Helper()
	r.fine().into(&m)
	return m
}

func (r *reply) into(v any) {
	r.t.Helper()
	if err := json.Unmarshal(r.Result, v); err != nil {
		r.t.Fatalf("%s: %v in %s", r.of, err, r.Result)
	}
}

// clean checks that there are no violations.
func (s *stage) clean() {
	s.Helper()
	if got := s.Violations(); len(got) > 0 {
		s.Errorf("violations: %q", got)
	}
}

// broken checks that there is exactly one violation, and that its text contains
// words.
func (s *stage) broken(words string) {
	s.Helper()
	if got := s.Violations(); len(got) != 1 || !strings.Contains(got[0], words) {
		s.Errorf("violations %q, not one with %q", got, words)
	}
}
