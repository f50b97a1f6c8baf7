package push_test

import (
	"context"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/push"
	"github.com/bellcord/bellcord/store/sqlite"
)

// stuck is a store whose sessions cannot be read.
type stuck struct{ *sqlite.Store }

func (stuck) Session(ctx context.Context, _ bellcord.SessionID) (bellcord.Session, error) {
	<-ctx.Done()
	return bellcord.Session{}, ctx.Err()
}

// The queue is full and nothing is taken out of it: a turn still starts, is
// stopped and settles.
func TestWatch_FullQueue_DelaysNoTurnAndNoStop(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	s.Start(stuck{s.store})
	for range push.MostWaiting * 2 {
		s.Watch(opened(s.session.ID, "one"))
	}
	started := make(chan struct{})
	agent := hub.AgentFunc(func(ctx context.Context, _ *hub.Work) error {
		close(started)
		<-ctx.Done()
		return context.Cause(ctx)
	})
	h, err := hub.Open(s.ctx, s.store, agent, hub.Options{Watch: s.Watch})
	if err != nil {
		t.Fatal(err)
	}
	session, err := h.NewSession(s.ctx, bellcord.Session{Owner: "anna", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := h.Prompt(session.ID, bellcord.Prompt{Text: "work"})
	if err != nil {
		t.Fatal(err)
	}
	<-started
	begun := time.Now()
	answers, err := h.Stop(bellcord.StopRequest{Turn: turn.ID, Cause: bellcord.Cause{Kind: bellcord.CausePerson}}).Wait(s.ctx)
	if err != nil || len(answers) != 1 {
		t.Errorf("%+v, %v", answers, err)
	}
	t.Logf("the stop took %v", time.Since(begun))
	if err := h.Close(s.ctx); err != nil {
		t.Error(err)
	}
}

// Not parallel: no other test may start goroutines at the same time. The push
// service never answers.
func TestLaw18_CloseWhileThePushServiceHangs_LeavesNoGoroutines(t *testing.T) {
	s := newStage(t, nil)
	hang := make(chan struct{})
	s.service.answer = func(http.ResponseWriter, *http.Request) { <-hang }
	s.subscribeStored()
	base := runtime.NumGoroutine()
	s.Start(s.store)
	for range 5 {
		s.Watch(ended(s.session.ID, bellcord.NewTurnID(), bellcord.EndDone))
	}
	s.until("the requests arrive", func() bool { return s.service.requests.Load() == 5 })
	begun := time.Now()
	s.Close()
	// A Close that waited would wait for the time limit of the requests, and they
	// would be logged or sent again.
	t.Logf("closing took %v", time.Since(begun))
	if n := s.service.requests.Load(); n != 5 {
		t.Errorf("%d requests", n)
	}
	close(hang)
	s.service.CloseClientConnections()
	s.until("all goroutines are gone", func() bool { return runtime.NumGoroutine() <= base })
	if text := s.logged.String(); text != "" {
		t.Error(text)
	}
}

// subscribeStored adds a subscription before Start.
func (s *stage) subscribeStored() {
	s.t.Helper()
	v := s.service.subscription("anna", "anna-token")
	v.ID, v.Created = "one", time.Now()
	if err := s.store.PutPushSubscription(s.ctx, v); err != nil {
		s.t.Fatal(err)
	}
}
