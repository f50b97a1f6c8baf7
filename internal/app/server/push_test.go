//go:build unix

package server

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/x509"
	"flag"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

var timing = flag.Bool("timing", false, "assert durations that are promises; for a machine that does nothing else")

// The push service accepts the first message and then hangs: the stop and the
// shutdown do not wait for it.
func TestServer_QuestionAndStop_SendPushMessagesAndWaitForNone(t *testing.T) {
	t.Parallel()
	urgencies, hang := make(chan string, 10), make(chan struct{})
	service := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		urgencies <- r.Header.Get("Urgency")
		if r.Header.Get("Urgency") == "normal" { // the end of a turn
			<-hang
		}
	}))
	defer service.Close()
	defer close(hang)
	s, err := Open(t.Context(), testConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(service.Certificate())
	s.push.AllowPrivate, s.push.RootCAs = true, roots
	ctx, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	tokens, err := s.app.Store.Tokens(ctx)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.push.Subscribe(ctx, serverstore.PushSubscription{
		Owner: "anna", Token: tokens[0].ID, Endpoint: service.URL + "/x", PublicKey: key.PublicKey().Bytes(), Auth: make([]byte, 16), Questions: true, Ends: true,
	}); err != nil {
		t.Fatal(err)
	}
	session, err := s.app.Hub.NewSession(ctx, bellcord.Session{Owner: "anna", Dir: t.TempDir(), Model: "fake/fake", Mode: "ask"})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.app.Hub.Prompt(session.ID, bellcord.Prompt{Text: `[tool shell {"command":"date"}]`})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(want string) {
		t.Helper()
		select {
		case got := <-urgencies:
			if got != want {
				t.Errorf("a message of urgency %q, want %q", got, want)
			}
		case <-ctx.Done():
			t.Fatal("no message arrived")
		}
	}
	expect("high") // the question
	answers, err := s.app.Hub.Stop(bellcord.StopRequest{Turn: turn.ID, Cause: bellcord.Cause{Kind: bellcord.CausePerson}}).Wait(ctx)
	if err != nil || len(answers) != 1 {
		t.Errorf("%+v, %v", answers, err)
	}
	expect("normal") // the end
	begun := time.Now()
	if err := s.shutdown(nil); err != nil {
		t.Error(err)
	}
	took := time.Since(begun) // while the push service hangs
	t.Logf("the shutdown took %v", took)
	if *timing && took > 8*time.Second { // less than the time limit of a request
		t.Errorf("the shutdown took %v", took)
	}
}
