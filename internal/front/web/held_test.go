package web_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/internal/testkit/authtest"
)

// Every route of the OpenAPI document is requested with every set of scopes,
// and without credentials. A request is allowed exactly if one of the scopes is
// the route's.
func TestHeld_EveryScopeOnEveryRoute_MatchesTheOpenAPIDocument(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	sets := [][]bellcord.Scope{
		{bellcord.ScopeRead},
		{bellcord.ScopePrompt},
		{bellcord.ScopeStop},
		{bellcord.ScopeRead, bellcord.ScopePrompt},
		{bellcord.ScopeRead, bellcord.ScopeStop},
		{bellcord.ScopeRead, bellcord.ScopePrompt, bellcord.ScopeStop},
		{bellcord.ScopeAdmin},
	}
	names := []string{""}
	for i, scopes := range sets {
		name := fmt.Sprintf("set%d", i)
		text, _, err := auth.Mint(context.Background(), s.store, serverstore.Token{Owner: "anna", Name: name, Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		s.tokens[name] = text
		names = append(names, name)
	}
	tried := 0
	for _, op := range s.operations() {
		if op.scope == "" {
			continue
		}
		for i, user := range names {
			path, id := s.session("anna")
			turn := s.prompt("anna", path, "hang on").ID
			at := op.at(string(id), string(turn), "q")
			if strings.HasSuffix(at, "/events") {
				at += "?after=999999" // refused after the scope check, so that no stream opens
			}
			tried++
			a := s.roundTrip(user, op.method, at, op.body())
			status := a.status
			if i == 0 {
				if status != 401 {
					t.Errorf("%s by nobody: %d", op, status)
				}
				continue
			}
			may := slices.Contains(sets[i-1], bellcord.Scope(op.scope)) || slices.Contains(sets[i-1], bellcord.ScopeAdmin)
			if refused := status == 403; refused == may || status == 401 || status >= 500 {
				t.Errorf("%s with %v: %d %s", op, sets[i-1], status, a.body)
			}
			s.roundTrip("admin", "POST", "/v1/stop", `{"queue":"drop"}`)
		}
	}
	t.Logf("%d requests", tried)
}

// Unusual spellings of a path bypass no check and redirect to no other site.
func TestHeld_UnusualPathsAndMethods_DoNotBypassTheToken(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, _ := s.session("anna")
	for _, target := range []string{
		"//v1/me", "/v1//me", "/v1/./me", "/v1/../v1/me", "/healthz/../v1/me", "/healthz/..%2fv1/me", "/v1/login/../me", "/V1/me", "/v1/me/",
		"/v1/me%00", "/v1/me;x", "/%76%31/me", "/v1%2fme", "//evil.example/v1/me", "/\\evil.example", "/v1/login/..;/me", "/./v1/sessions",
	} {
		resp := s.raw("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		at := resp.Header.Get("Location")
		if resp.StatusCode == http.StatusOK || strings.HasPrefix(at, "//") || strings.Contains(at, "evil.example") && !strings.HasPrefix(at, "/") {
			t.Errorf("%s without a token: %d, to %q", target, resp.StatusCode, at)
		}
	}
	for _, method := range []string{"PUT", "TRACE", "OPTIONS", "CONNECT", "PROPFIND", "get"} {
		resp := s.raw(method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		if resp.StatusCode < 400 {
			t.Errorf("%s without a token: %d", method, resp.StatusCode)
		}
	}
}

// A request with an ambiguous length is handled as one request, or refused.
func TestHeld_AmbiguousRequests_AreRefusedOrAnsweredOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	inner := "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	for name, head := range map[string]string{
		"length and chunks":   fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", len(inner)+5),
		"two lengths":         "Content-Length: 0\r\nContent-Length: 50\r\n\r\n",
		"a length with signs": "Content-Length: +5\r\n\r\n",
		"chunks twice":        "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
		"chunks by half":      "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"two hosts":           "Host: evil.example\r\n\r\n",
		"a folded header":     "X-A: b\r\n Host: evil.example\r\nContent-Length: 0\r\n\r\n",
	} {
		resp := s.raw("POST /v1/stop HTTP/1.1\r\nHost: 127.0.0.1\r\n" + head)
		if resp.StatusCode < 400 {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
}

// Twelve browsers use one code concurrently, ten times: each time one succeeds.
// Then codes are guessed, which does not lock out a right one.
func TestHeld_LoginCodes_WorkOnceAndGuessesAreLimited(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for range 10 {
		var code api.Code
		s.roundTrip("anna", "POST", "/v1/codes", nil).is(201).into(&code)
		var in atomic.Int64
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				switch status := s.roundTrip("", "POST", "/v1/login", api.Login{Code: code.Code, Key: authtest.NewPageKey().Public}).status; status {
				case http.StatusNoContent:
					in.Add(1)
				case http.StatusUnauthorized:
				default:
					t.Errorf("a login: %d", status)
				}
			})
		}
		all.Wait()
		if in.Load() != 1 {
			t.Errorf("%d browsers got in with one code", in.Load())
		}
	}
	few := newStage(t, func(with *setup) { with.door = auth.Options{Tries: 3, Refill: time.Hour} })
	var right api.Code
	few.roundTrip("anna", "POST", "/v1/codes", nil).is(201).into(&right)
	refused := 0
	for i := range 200 {
		if few.roundTrip("", "POST", "/v1/login", api.Login{Code: fmt.Sprintf("AAAAA-%05d", i), Key: authtest.NewPageKey().Public}).status == http.StatusUnauthorized {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("%d of 200 guesses were not made to wait", refused)
	}
	few.roundTrip("", "POST", "/v1/login", api.Login{Code: right.Code, Key: authtest.NewPageKey().Public}).is(204)
}
