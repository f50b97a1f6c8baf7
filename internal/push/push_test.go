package push_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/publicnet"
	"github.com/bellcord/bellcord/internal/push"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// patient is how long a test waits for an expected event.
const patient = 30 * time.Second

// stage is a Notifier with a real store and a push service.
type stage struct {
	*push.Notifier
	t       *testing.T
	ctx     context.Context
	store   *sqlite.Store
	service *service
	session bellcord.Session
	logged  *logged
}

// logged collects the log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newStage(t *testing.T, change func(*push.Config)) *stage {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), patient)
	t.Cleanup(done)
	store, err := sqlite.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, ctx: ctx, store: store, service: newService(t), logged: &logged{}}
	config := push.Config{Logger: slog.New(slog.NewTextHandler(s.logged, nil)), AllowPrivate: true, RootCAs: s.service.roots()}
	if change != nil {
		change(&config)
	}
	s.Notifier = push.New(config)
	s.SetRetryDelays(time.Millisecond, time.Millisecond)
	t.Cleanup(func() {
		s.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	s.session = s.newSession("anna")
	for _, name := range []string{"anna", "bert"} {
		if err := store.PutToken(ctx, serverstore.Token{ID: name + "-token", Owner: name, Hash: []byte{1}, Created: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *stage) newSession(owner string) bellcord.Session {
	s.t.Helper()
	made := bellcord.Session{ID: bellcord.NewSessionID(), Owner: owner, Title: "Fix totals of " + owner}
	if _, err := s.store.Commit(s.ctx, []store.Op{store.PutSession{Session: made}}); err != nil {
		s.t.Fatal(err)
	}
	return made
}

func (s *stage) subscribe(v serverstore.PushSubscription) serverstore.PushSubscription {
	s.t.Helper()
	made, err := s.Subscribe(s.ctx, v)
	if err != nil {
		s.t.Fatal(err)
	}
	return made
}

// until waits until the condition is true.
func (s *stage) until(what string, is func() bool) {
	s.t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			s.t.Fatalf("%s: not within %v", what, patient)
		}
	}
}

func (s *stage) subscribed(owner string) int {
	s.t.Helper()
	all, err := s.Subscriptions(s.ctx, owner)
	if err != nil {
		s.t.Fatal(err)
	}
	return len(all)
}

func opened(session bellcord.SessionID, turn bellcord.TurnID) store.Commit {
	q := bellcord.Question{ID: "q", Text: "Run rm -rf /?", Tool: "shell", Arguments: []byte(`{"command":"rm -rf /"}`)}
	return store.Commit{Events: []bellcord.Event{{Session: session, Turn: turn, Body: bellcord.QuestionOpened{Question: q}}}}
}

func ended(session bellcord.SessionID, turn bellcord.TurnID, end bellcord.End) store.Commit {
	r := bellcord.Receipt{Turn: turn, Session: session, End: end, Error: "secret error", Times: bellcord.Times{Started: time.Now()}}
	return store.Commit{Events: []bellcord.Event{
		{Session: session, Turn: turn, Body: bellcord.TextDelta{Text: "secret answer"}},
		{Session: session, Turn: turn, Body: bellcord.TurnEnded{Receipt: r}},
	}}
}

func TestWatch_QuestionAndEnd_ReachTheOwnersBrowserEncrypted(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.Start(s.store)
	s.subscribe(s.service.subscription("anna", "anna-token"))
	turn := bellcord.NewTurnID()
	s.Watch(opened(s.newSession("bert").ID, "of bert"))
	s.Watch(opened(s.newSession("").ID, "of nobody"))
	s.Watch(opened("no session", "of a deleted session"))
	s.Watch(store.Commit{Events: []bellcord.Event{{Session: s.session.ID, Turn: "dropped", Body: bellcord.TurnEnded{}}}})
	s.Watch(opened(s.session.ID, turn))
	question := s.service.next(s.ctx)
	if want := (push.Message{Kind: "question", Session: s.session.ID, Turn: turn, Title: "Fix totals of anna"}); question.Message != want {
		t.Errorf("%+v", question.Message)
	}
	s.Watch(ended(s.session.ID, turn, bellcord.EndFailed))
	end := s.service.next(s.ctx)
	if want := (push.Message{Kind: "end", Session: s.session.ID, Turn: turn, Title: "Fix totals of anna", End: bellcord.EndFailed}); end.Message != want {
		t.Errorf("%+v", end.Message)
	}
	if question.size != end.size {
		t.Errorf("the messages have %d and %d bytes: their lengths differ", question.size, end.size)
	}
	public, err := s.Key(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{"Content-Encoding": "aes128gcm", "Ttl": "86400", "Urgency": "high"} {
		if got := question.header.Get(header); got != want {
			t.Errorf("%s: %s", header, got)
		}
	}
	if signed := question.header.Get("Authorization"); !strings.HasPrefix(signed, "vapid t=") || !strings.HasSuffix(signed, ", k="+public) {
		t.Error(signed)
	}
	if text := s.logged.String(); text != "" {
		t.Error(text)
	}
}

func TestWatch_KindThatWasNotChosen_IsNotSent(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.Start(s.store)
	v := s.service.subscription("anna", "anna-token")
	v.Questions = false
	s.subscribe(v)
	s.Watch(opened(s.session.ID, "one"))
	s.Watch(ended(s.session.ID, "two", bellcord.EndDone))
	if got := s.service.next(s.ctx); got.Turn != "two" {
		t.Errorf("%+v", got)
	}
}

func TestDeliver_SubscriptionGone_IsRemoved(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusGone} {
		s := newStage(t, nil)
		s.service.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		s.Start(s.store)
		s.subscribe(s.service.subscription("anna", "anna-token"))
		s.Watch(opened(s.session.ID, "one"))
		s.until("the subscription is removed", func() bool { return s.subscribed("anna") == 0 })
		if n := s.service.requests.Load(); n != 1 {
			t.Errorf("%d: %d requests", status, n)
		}
		made := s.subscribe(s.service.subscription("anna", "anna-token"))
		if err := s.Test(s.ctx, "anna", made.ID); !errors.Is(err, push.ErrNotSent) || s.subscribed("anna") != 0 {
			t.Errorf("a test: %v", err)
		}
	}
}

func TestDeliver_ServiceFails_RetriesTwiceAndLogsOnceWithoutTheEndpoint(t *testing.T) {
	t.Parallel()
	for status, requests := range map[int]int64{503: 3, 429: 3, 403: 1, 307: 1} {
		s := newStage(t, nil)
		s.service.answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}
		s.Start(s.store)
		s.subscribe(s.service.subscription("anna", "anna-token"))
		s.Watch(opened(s.session.ID, "one"))
		s.until("the failure is logged", func() bool { return s.logged.String() != "" })
		s.Close()
		text := s.logged.String()
		if n := s.service.requests.Load(); n != requests || strings.Count(text, "\n") != 1 || !strings.Contains(text, fmt.Sprint(status)) || strings.Contains(text, "secret") {
			t.Errorf("%d: %d requests, %s", status, n, text)
		}
		if s.subscribed("anna") != 1 {
			t.Errorf("%d: the subscription was removed", status)
		}
	}
}

func TestDeliver_SecondRequestSucceeds_LogsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	done := make(chan struct{})
	s.service.answer = func(w http.ResponseWriter, _ *http.Request) {
		if s.service.requests.Load() == 1 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
		close(done)
	}
	s.Start(s.store)
	s.subscribe(s.service.subscription("anna", "anna-token"))
	s.Watch(opened(s.session.ID, "one"))
	<-done
	s.Close()
	if text := s.logged.String(); text != "" {
		t.Error(text)
	}
}

func TestDispatch_TokenRevokedOrExpired_EndsTheSubscription(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.Start(s.store)
	old := serverstore.Token{ID: "old", Owner: "anna", Hash: []byte{1}, Created: time.Now().Add(-time.Hour), Expires: time.Now().Add(-time.Minute)}
	// A login that was not used for a day still gets messages: the page is closed.
	idle := serverstore.Token{ID: "idle", Owner: "anna", Hash: []byte{1}, Cookie: true, Created: time.Now().AddDate(0, 0, -1), Expires: time.Now().Add(time.Hour)}
	for _, v := range []serverstore.Token{old, idle} {
		if err := s.store.PutToken(s.ctx, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.store.RevokeToken(s.ctx, "anna-token", time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"anna-token", "old", "unknown", "idle"} {
		v := s.service.subscription("anna", token)
		v.Endpoint += "/" + token
		s.subscribe(v)
	}
	s.Watch(opened(s.session.ID, "one"))
	s.service.next(s.ctx)
	s.until("the others are removed", func() bool { return s.subscribed("anna") == 1 })
	s.Close()
	if n := s.service.requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestSubscribe_InvalidSubscription_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(c *push.Config) { c.AllowPrivate = false })
	s.Start(s.store)
	good := s.service.subscription("anna", "anna-token")
	good.Endpoint = "https://push.example/x"
	if _, err := s.Subscribe(s.ctx, good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*serverstore.PushSubscription){
		"no TLS":           func(v *serverstore.PushSubscription) { v.Endpoint = "http://push.example/x" },
		"a file":           func(v *serverstore.PushSubscription) { v.Endpoint = "file:///etc/passwd" },
		"no host":          func(v *serverstore.PushSubscription) { v.Endpoint = "https:///x" },
		"no URL":           func(v *serverstore.PushSubscription) { v.Endpoint = "https://push.example/\x7f" },
		"a password":       func(v *serverstore.PushSubscription) { v.Endpoint = "https://a:b@push.example/x" },
		"a long one":       func(v *serverstore.PushSubscription) { v.Endpoint += strings.Repeat("x", 2048) },
		"this machine":     func(v *serverstore.PushSubscription) { v.Endpoint = "https://127.0.0.1/x" },
		"the metadata":     func(v *serverstore.PushSubscription) { v.Endpoint = "https://[fd00:ec2::254]/x" },
		"no auth":          func(v *serverstore.PushSubscription) { v.Auth = nil },
		"no key":           func(v *serverstore.PushSubscription) { v.PublicKey = nil },
		"not on the curve": func(v *serverstore.PushSubscription) { v.PublicKey = append([]byte{4}, make([]byte, 64)...) },
	} {
		bad := good
		change(&bad)
		if _, err := s.Subscribe(s.ctx, bad); !errors.Is(err, push.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTest_ServiceIsNotReached_ErrorHasNoAddress(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.Start(s.store)
	v := s.service.subscription("anna", "anna-token")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for _, endpoint := range []string{"https://" + closed.Addr().String() + "/x", "https://no-such-name.invalid/x"} {
		v.Endpoint = endpoint
		err := s.Test(s.ctx, "anna", s.subscribe(v).ID)
		if !errors.Is(err, push.ErrNotSent) || strings.ContainsAny(err.Error(), "0123456789") {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

// A name can resolve to this machine: the address is checked when it is dialed.
func TestTest_NameOfAPrivateAddress_IsNotContacted(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(c *push.Config) { c.AllowPrivate = false })
	s.Start(s.store)
	v := s.service.subscription("anna", "anna-token")
	v.Endpoint = strings.Replace(v.Endpoint, "127.0.0.1", "localhost", 1)
	made := s.subscribe(v)
	if err := s.Test(s.ctx, "anna", made.ID); !errors.Is(err, push.ErrNotSent) || !errors.Is(err, publicnet.ErrNotPublic) || strings.ContainsAny(err.Error(), "0123456789") {
		t.Errorf("the error has an address: %v", err)
	}
	if n := s.service.requests.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
	if err := s.Test(s.ctx, "bert", made.ID); !errors.Is(err, serverstore.ErrNoSubscription) {
		t.Errorf("bert tested the browser of anna: %v", err)
	}
}
