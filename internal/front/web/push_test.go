package web_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/push"
)

// newBrowser returns the subscription of a browser.
func newBrowser(t *testing.T, endpoint string) api.NewPushSubscription {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := api.PushKeys{P256DH: base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), Auth: "BTBZMqHH6r4Tts7J_aSIgg"}
	return api.NewPushSubscription{Endpoint: endpoint, Keys: keys, Questions: true}
}

// pushService returns a push service at a loopback address that answers with
// the status, and a change of the settings that allows it.
func pushService(t *testing.T, status *atomic.Int64) (*httptest.Server, func(*setup)) {
	t.Helper()
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) }))
	t.Cleanup(service.Close)
	roots := x509.NewCertPool()
	roots.AddCert(service.Certificate())
	return service, func(with *setup) {
		with.Push = push.New(push.Config{Logger: slog.New(slog.DiscardHandler), AllowPrivate: true, RootCAs: roots})
	}
}

func TestPush_Subscription_IsTestedReplacedAndEnded(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	status.Store(201)
	service, allow := pushService(t, &status)
	s := newStage(t, allow)
	var empty, all api.Push
	s.roundTrip("anna", "GET", "/v1/push", nil).is(200).into(&empty)
	if key, err := base64.RawURLEncoding.DecodeString(empty.Key); err != nil || len(key) != 65 || len(empty.Subscriptions) != 0 {
		t.Errorf("%+v", empty)
	}
	var made, again api.PushSubscription
	browser := newBrowser(t, service.URL+"/secret")
	s.roundTrip("reader", "POST", "/v1/push/subscriptions", browser).is(201).into(&made)
	browser.Ends = true
	s.roundTrip("anna", "POST", "/v1/push/subscriptions", browser).is(201).into(&again)
	a := s.roundTrip("anna", "GET", "/v1/push", nil).is(200)
	a.into(&all)
	if all.Key != empty.Key || len(all.Subscriptions) != 1 || !all.Subscriptions[0].Ends || all.Subscriptions[0].ID != made.ID || again.ID != made.ID || bytes.Contains(a.body, []byte("secret")) {
		t.Errorf("%s", a.body)
	}
	at := "/v1/push/subscriptions/" + made.ID
	s.roundTrip("anna", "POST", at+"/test", nil).is(204)
	status.Store(403)
	if a := s.roundTrip("anna", "POST", at+"/test", nil); bytes.Contains(a.body, []byte("secret")) {
		t.Errorf("%s", a.body)
	} else {
		a.isA(502, "push-failed")
	}
	status.Store(410)
	s.roundTrip("anna", "POST", at+"/test", nil).isA(502, "push-failed")
	s.roundTrip("anna", "POST", at+"/test", nil).isA(404, "subscription-not-found")
	s.roundTrip("anna", "POST", "/v1/push/subscriptions", browser).is(201)
	s.roundTrip("anna", "DELETE", at, nil).is(204)
	s.roundTrip("anna", "DELETE", at, nil).isA(404, "subscription-not-found")
}

func TestPush_InvalidSubscription_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, endpoint := range []string{"http://push.example/x", "https://127.0.0.1/x", "https://169.254.169.254/latest", "https://", "x"} {
		s.roundTrip("anna", "POST", "/v1/push/subscriptions", newBrowser(t, endpoint)).isA(422, "bad-input")
	}
	bad := newBrowser(t, "https://push.example/x")
	bad.Keys.P256DH = "!"
	s.roundTrip("anna", "POST", "/v1/push/subscriptions", bad).isA(422, "bad-input")
}

// The subscriptions of another owner are not found, also by an admin.
func TestHeld_PushSubscriptionsOfAnotherOwner_AreNotFound(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var made api.PushSubscription
	s.roundTrip("anna", "POST", "/v1/push/subscriptions", newBrowser(t, "https://push.example/x")).is(201).into(&made)
	at := "/v1/push/subscriptions/" + made.ID
	for _, user := range []string{"bert", "admin"} {
		var all api.Push
		if s.roundTrip(user, "GET", "/v1/push", nil).is(200).into(&all); len(all.Subscriptions) != 0 {
			t.Errorf("%s has %+v", user, all)
		}
		for _, request := range [][2]string{{"DELETE", ""}, {"POST", "/test"}} {
			foreign, none := s.roundTrip(user, request[0], at+request[1], nil), s.roundTrip(user, request[0], "/v1/push/subscriptions/none"+request[1], nil)
			foreign.isA(404, "subscription-not-found")
			if !bytes.Equal(foreign.body, none.body) {
				t.Errorf("%s, but %s", foreign.body, none.body)
			}
		}
	}
	s.roundTrip("anna", "DELETE", at, nil).is(204)
}
