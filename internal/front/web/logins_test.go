package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/api"
)

func TestRevokeOthers_TwoBrowsers_LogsOutTheOtherAndEndsItsStream(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.Heartbeat = 20 * time.Millisecond })
	path, _ := s.session("anna")
	mine, other := s.browser(), s.browser()
	stream := s.watch("", path, "", other)
	kept := s.watch("", path, "", mine)
	var list api.Logins
	a := s.roundTrip("", "GET", "/v1/logins", nil, mine).is(200)
	if a.into(&list); len(list.Others) != 1 || list.Others[0].Created.IsZero() || strings.Contains(string(a.body), "id") {
		t.Errorf("the list is %s", a.body)
	}
	var done api.RevokedLogins
	if s.roundTrip("", "POST", "/v1/logins/revoke-others", nil, mine).is(200).into(&done); done.Revoked != 1 {
		t.Errorf("revoked %d", done.Revoked)
	}
	s.roundTrip("", "GET", "/v1/me", nil, other).isA(401, "bad-credentials")
	s.roundTrip("", "GET", "/v1/me", nil, mine).is(200)
	stream.rest()
	if err := stream.lines.Err(); err != nil {
		t.Error(err)
	}
	s.prompt("anna", path, "say hi")
	kept.until("turn_ended")
}

func TestLogins_WithoutLoginOrPageSecret_AreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	cookie, _ := s.login("anna", api.NewCode{})
	phone := s.browser()
	for _, request := range []string{"GET /v1/logins", "POST /v1/logins/revoke-others"} {
		method, path, _ := strings.Cut(request, " ")
		s.roundTrip("anna", method, path, nil).isA(409, "not-logged-in")
		s.roundTrip("", method, path, nil, cookie).isA(401, "page-secret-needed")
		s.roundTrip("", method, path, nil, phone, header("Origin", "https://evil.example")).is(http.StatusForbidden)
	}
	s.roundTrip("", "GET", "/v1/me", nil, phone).is(200)
}

func TestRevokeOthers_ByALoginWithFewerScopes_LeavesTheOther(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	cookie, page := s.login("anna", api.NewCode{Scopes: []string{"read"}})
	full := s.browser()
	var list api.Logins
	if s.roundTrip("", "GET", "/v1/logins", nil, cookie, page).is(200).into(&list); len(list.Others) != 0 {
		t.Errorf("a login that may only read sees %+v", list.Others)
	}
	s.roundTrip("", "POST", "/v1/logins/revoke-others", nil, cookie, page).is(200)
	s.roundTrip("", "GET", "/v1/me", nil, full).is(200)
	if s.roundTrip("", "GET", "/v1/logins", nil, full).is(200).into(&list); len(list.Others) != 1 {
		t.Errorf("a login with all scopes sees %+v", list.Others)
	}
}
