package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/testkit/authtest"
)

// CVE-2026-22812, CVE-2025-49596: a server on loopback without credentials.
func TestHeld_NoCredentialsFromThisMachine_AreRefusedOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang on").ID
	s.until(id, "text_delta")
	for _, op := range s.operations() {
		if op.scope == "" {
			continue
		}
		s.roundTrip("", op.method, op.at(string(id), string(turn), "q"), op.body()).isA(401, "no-credentials")
	}
	if a := s.roundTrip("", "GET", "/v1/me", nil); a.header.Get("WWW-Authenticate") == "" {
		t.Error("nobody says how to come in")
	}
	if state := s.state(turn); state != api.Running {
		t.Errorf("the turn is %s", state)
	}
}

// CVE-2026-28472: the presence of a token was checked, but not its value.
func TestIncident_InvalidToken_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	good := s.tokens["anna"]
	for _, shown := range []string{
		"Bearer", "Bearer ", "Bearer  \t ", "Bearer x", "Bearer null", "Bearer undefined", "Bearer true", "Basic " + good, good,
		"Bearer " + good[:len(good)-1], "Bearer " + good + "0", "Bearer bc_", "Bearer " + good + " " + good, "Bearer " + good + "," + good,
	} {
		s.roundTrip("", "GET", "/v1/me", nil, header("Authorization", shown)).isA(401, "bad-credentials")
	}
	s.roundTrip("", "GET", "/v1/me", nil, func(r *http.Request) { r.Header["Authorization"] = []string{""} }).is(401)
	for _, value := range []string{"", "x", good} {
		s.roundTrip("", "GET", "/v1/me", nil, func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "bellcord", Value: value}) }).is(401)
	}
	s.roundTrip("anna", "GET", "/v1/me", nil).is(200)
}

// CVE-2026-25253: a token from a link.
func TestIncident_TokenInURL_IsRefusedEvenWithAValidHeader(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, query := range []string{"token=" + s.tokens["anna"], "access_token=x", "api_key=", "TOKEN=x"} {
		for _, user := range []string{"", "anna"} {
			s.roundTrip(user, "GET", "/v1/me?"+query, nil).isA(401, "token-in-url")
		}
	}
}

// CVE-2025-59956: an attacker's host name that resolves to this machine.
func TestIncident_UnrecognizedHost_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) {
		with.Hosts = []string{"127.0.0.1", "localhost", "::1", "bellcord.example:8443"}
	})
	for host, accepted := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:4500": true, "localhost": true, "LOCALHOST:80": true, "[::1]": true, "[::1]:4500": true,
		"bellcord.example:8443": true, "Bellcord.Example:8443": true,
		"bellcord.example": false, "bellcord.example:443": false, "evil.example": false, "evil.example:4500": false,
		"localhost.evil.example": false, "127.0.0.1.evil.example": false, "evil.example:127.0.0.1": false,
		"localhost.": false, "0.0.0.0": false, "127.0.0.2": false, "[::2]": false, "127.1": false, "2130706433": false, "[::ffff:127.0.0.1]": false,
	} {
		for _, path := range []string{"/v1/me", "/healthz", "/v1/openapi.json"} {
			a := s.roundTrip("anna", "GET", path, nil, header("Host", host))
			if accepted != (a.status == 200) || !accepted && (a.status != 421 || a.word() != "unknown-host" || !strings.Contains(string(a.body), host)) {
				t.Errorf("%s for %s: %d %s", path, host, a.status, a.body)
			}
		}
	}
	if resp := s.raw("GET /healthz HTTP/1.0\r\n\r\n"); resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("for no host: %d", resp.StatusCode)
	}
}

// login logs a browser in. cookie and page add the two parts of its credentials
// to a request.
func (s *stage) login(user string, newCode api.NewCode) (cookie, page func(*http.Request)) {
	s.t.Helper()
	var code api.Code
	s.roundTrip(user, "POST", "/v1/codes", newCode).is(201).into(&code)
	key := authtest.NewPageKey()
	a := s.roundTrip("", "POST", "/v1/login", api.Login{Code: code.Code, Key: key.Public}).is(204)
	got := (&http.Response{Header: a.header}).Cookies()[0]
	var challenge api.Challenge
	s.roundTrip("", "GET", "/v1/challenge", nil).is(200).into(&challenge)
	return func(r *http.Request) { r.AddCookie(got) }, header("Bellcord-Page", key.Sign(challenge.Challenge))
}

// browser logs anna in and returns a function that adds her credentials to a
// request.
func (s *stage) browser() func(*http.Request) {
	s.t.Helper()
	cookie, page := s.login("anna", api.NewCode{})
	return func(r *http.Request) { cookie(r); page(r) }
}

func TestIncident_RequestFromAnotherSite_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.Origins = []string{"https://friend.example"} })
	browser := s.browser()
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang on").ID
	s.until(id, "text_delta")
	for _, from := range []func(*http.Request){
		header("Origin", "https://evil.example"),
		header("Origin", "null"),
		header("Origin", "http://127.0.0.1.evil.example"),
		header("Origin", "http://127.0.0.1:1"),
		header("Origin", "https://friend.example.evil.example"),
		header("Origin", "file://"),
		header("Sec-Fetch-Site", "cross-site"),
		header("Sec-Fetch-Site", "same-site"),
	} {
		s.roundTrip("", "POST", "/v1/sessions", nil, browser, from).isA(403, "foreign-origin")
		s.roundTrip("", "POST", "/v1/turns/"+string(turn)+"/stop", nil, browser, from).isA(403, "foreign-origin")
		s.roundTrip("", "DELETE", path, nil, browser, from).isA(403, "foreign-origin")
		s.roundTrip("anna", "POST", "/v1/stop", nil, from).isA(403, "foreign-origin")
	}
	s.roundTrip("", "GET", "/v1/me", nil, browser, header("Origin", "https://evil.example")).isA(403, "foreign-origin")
	if n, state := len(s.sessions("anna", "")), s.state(turn); n != 1 || state != api.Running {
		t.Errorf("there are %d sessions, the turn is %s", n, state)
	}
	for _, from := range []func(*http.Request){
		header("Origin", s.url), header("Origin", "https://friend.example"), header("Sec-Fetch-Site", "same-origin"), header("Sec-Fetch-Site", "none"),
	} {
		s.roundTrip("", "POST", "/v1/sessions", nil, browser, from).is(201)
	}
}

// The content types that a form can send without a preflight request are not
// JSON.
func TestIncident_FormContentType_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	browser := s.browser()
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json", "", "application/json, text/plain", "application/jsonx"} {
		s.roundTrip("", "POST", "/v1/sessions", `{"title":"x"}`, browser, header("Content-Type", kind)).isA(415, "not-json")
	}
	if n := len(s.sessions("anna", "")); n != 0 {
		t.Errorf("there are %d sessions", n)
	}
	s.roundTrip("", "POST", "/v1/sessions", `{"title":"x"}`, browser, header("Content-Type", "application/json; charset=utf-8")).is(201)
}

func TestHeaders_OverTLS_IncludeStrictTransportSecurity(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		s := newStage(t, func(with *setup) { with.Secure = secure })
		a := s.roundTrip("anna", "GET", "/v1/me", nil)
		if got := a.header.Get("Strict-Transport-Security"); (got != "") != secure {
			t.Errorf("secure %v: Strict-Transport-Security is %q", secure, got)
		}
		if got := a.header.Get("Cross-Origin-Resource-Policy"); got != "same-origin" {
			t.Errorf("Cross-Origin-Resource-Policy is %q", got)
		}
	}
}
