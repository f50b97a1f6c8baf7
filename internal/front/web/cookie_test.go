package web_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/api"
)

// A browser sends a cookie to every port of the host, so a server on another
// port receives it. The cookie alone gives access to nothing: no route, no
// stream, no metrics.
func TestCookie_WithoutPageSecret_IsRefusedOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) {
		with.Metrics = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the metrics were shown") })
	})
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang on").ID
	s.until(id, "text_delta")
	cookie, page := s.login("anna", api.NewCode{})
	_, other := s.login("anna", api.NewCode{})
	for _, op := range s.operations() {
		if op.scope == "" {
			continue
		}
		at := op.at(string(id), string(turn), "q")
		a := s.roundTrip("", op.method, at, op.body(), cookie)
		a.isA(401, "page-secret-needed")
		if !strings.Contains(string(a.body), "Bellcord-Page") || !strings.Contains(string(a.body), "bellcord open") {
			t.Errorf("%s does not say what to do: %s", op, a.body)
		}
		s.roundTrip("", op.method, at, op.body(), cookie, header("Bellcord-Page", "")).isA(401, "page-secret-needed")
		s.roundTrip("", op.method, at, op.body(), cookie, header("Bellcord-Page", "x")).isA(401, "bad-credentials")
		s.roundTrip("", op.method, at, op.body(), cookie, other).isA(401, "bad-credentials")
		s.roundTrip("", op.method, at, op.body(), page).isA(401, "no-credentials")
	}
	for _, at := range []string{"/metrics", "/v1", "/nowhere"} {
		s.roundTrip("", "GET", at, nil, cookie).isA(401, "page-secret-needed")
	}
	if n, state := len(s.sessions("anna", "")), s.state(turn); n != 1 || state != api.Running {
		t.Errorf("there are %d sessions, the turn is %s", n, state)
	}
	s.roundTrip("", "GET", "/v1/me", nil, cookie, page).is(200)
	s.roundTrip("", "POST", "/v1/turns/"+string(turn)+"/stop", nil, cookie, page).is(200)
}

func TestLogin_OfAnAdmin_HasAdminOnlyWhenNamed(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, test := range []struct{ named, has []string }{
		{nil, []string{"read", "prompt", "stop", "undo"}},
		{[]string{"read"}, []string{"read"}},
		{[]string{"admin", "read"}, []string{"read", "admin"}},
	} {
		t.Run(fmt.Sprint(test.named), func(t *testing.T) {
			t.Parallel()
			cookie, page := s.login("admin", api.NewCode{Scopes: test.named})
			var me api.Me
			s.roundTrip("", "GET", "/v1/me", nil, cookie, page).is(200).into(&me)
			if me.Owner != "admin" || !slices.Equal(me.Scopes, test.has) {
				t.Errorf("%+v", me)
			}
			if slices.Contains(test.has, "admin") {
				s.roundTrip("", "GET", "/v1/nodes", nil, cookie, page).is(200)
				return
			}
			a := s.roundTrip("", "GET", "/v1/nodes", nil, cookie, page)
			a.isA(403, "scope")
			if !strings.Contains(string(a.body), "bellcord open --admin") {
				t.Errorf("it does not say what to do: %s", a.body)
			}
		})
	}
	s.roundTrip("anna", "POST", "/v1/codes", api.NewCode{Scopes: []string{"admin"}}).isA(403, "scope")
	s.roundTrip("anna", "POST", "/v1/codes", `{"scopes":["root"]}`).is(422)
	s.roundTrip("anna", "POST", "/v1/codes", nil).is(201)
}
