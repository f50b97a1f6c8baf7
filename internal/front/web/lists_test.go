package web_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/testkit/authtest"
)

func TestLists_ModelsAndAgents_AreReturned(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var models api.Models
	s.roundTrip("anna", "GET", "/v1/models", nil).is(200).into(&models)
	if len(models.Models) != 2 || models.Models[0].ID != "fake/default" || models.Models[0].ContextWindow != 1000 {
		t.Errorf("%+v", models)
	}
	var agents api.Agents
	s.roundTrip("anna", "GET", "/v1/agents", nil).is(200).into(&agents)
	if len(agents.Agents) != 1 || !agents.Agents[0].Installed {
		t.Errorf("%+v", agents)
	}
}

func TestUsage_Caller_CountsOnlyItsOwnTurns(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	one, oneID := s.session("anna")
	two, _ := s.session("anna")
	berts, bertsID := s.session("bert")
	s.ended("anna", s.prompt("anna", one, "spend").ID)
	s.ended("anna", s.prompt("anna", two, "steps 2").ID)
	s.ended("bert", s.prompt("bert", berts, "spend").ID)
	for _, test := range []struct {
		user, query   string
		turns, tokens int64
	}{
		{"anna", "", 2, 45},
		{"anna", "?session=" + string(oneID), 1, 15},
		{"bert", "", 1, 15},
		{"admin", "", 3, 60},
		{"anna", "?since=2100-01-01T00:00:00Z", 0, 0},
	} {
		var used api.Usage
		s.roundTrip(test.user, "GET", "/v1/usage"+test.query, nil).is(200).into(&used)
		var sum int64
		for _, m := range used.Models {
			sum += m.Total()
		}
		if int64(used.Turns) != test.turns || sum != test.tokens {
			t.Errorf("%s%s: %d turns, %d tokens", test.user, test.query, used.Turns, sum)
		}
	}
	s.roundTrip("anna", "GET", "/v1/usage?session="+string(bertsID), nil).isA(404, "session-not-found")
	s.roundTrip("anna", "GET", "/v1/usage?since=lately", nil).is(422)
}

func TestMe_Token_ReturnsItsOwnerAndScopes(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var me api.Me
	s.roundTrip("reader", "GET", "/v1/me", nil).is(200).into(&me)
	if me.Owner != "anna" || !slices.Equal(me.Scopes, []string{"read"}) {
		t.Errorf("%+v", me)
	}
}

func TestLogin_Code_WorksOnceUntilLogout(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	key := authtest.NewPageKey()
	var code api.Code
	s.roundTrip("anna", "POST", "/v1/codes", nil).is(201).into(&code)
	if left := time.Until(code.Expires); left > time.Minute || left < 50*time.Second {
		t.Errorf("the code is good for %v", left)
	}
	s.roundTrip("", "POST", "/v1/login", api.Login{Code: "AAAAA-AAAAA", Key: key.Public}).isA(401, "bad-credentials")
	s.roundTrip("", "POST", "/v1/login", api.Login{Code: code.Code, Key: key.Public[1:]}).isA(422, "bad-input") // the code stays
	a := s.roundTrip("", "POST", "/v1/login", api.Login{Code: code.Code, Key: key.Public}).is(204)
	cookies := (&http.Response{Header: a.header}).Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != "/" || cookies[0].Domain != "" {
		t.Fatalf("cookies %+v", cookies)
	}
	var challenge api.Challenge
	s.roundTrip("", "GET", "/v1/challenge", nil).is(200).into(&challenge)
	with := func(r *http.Request) {
		r.AddCookie(cookies[0])
		r.Header.Set("Bellcord-Page", key.Sign(challenge.Challenge))
	}
	s.roundTrip("", "POST", "/v1/login", api.Login{Code: code.Code, Key: key.Public}).isA(401, "bad-credentials")
	var me api.Me
	s.roundTrip("", "GET", "/v1/me", nil, with).is(200).into(&me)
	if me.Owner != "anna" || len(me.Scopes) != 4 {
		t.Errorf("the cookie is %+v", me)
	}
	s.roundTrip("", "GET", "/v1/me", nil, header("Authorization", "Bearer "+cookies[0].Value)).isA(401, "bad-credentials")
	s.roundTrip("anna", "POST", "/v1/logout", nil).isA(409, "not-logged-in")
	out := s.roundTrip("", "POST", "/v1/logout", nil, with).is(204)
	if expired := (&http.Response{Header: out.header}).Cookies(); len(expired) != 1 || expired[0].MaxAge >= 0 || expired[0].Value != "" {
		t.Errorf("the browser is told %+v", expired)
	}
	s.roundTrip("", "GET", "/v1/me", nil, with).isA(401, "bad-credentials")
	s.roundTrip("anna", "GET", "/v1/me", nil).is(200)
}

func TestDrain_RunningTurn_RefusesPromptsAndAcceptsStops(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var health api.Health
	s.roundTrip("", "GET", "/healthz", nil).is(200).into(&health)
	if health.Status != "ok" || health.Version != "test" {
		t.Errorf("%+v", health)
	}
	s.roundTrip("", "GET", "/readyz", nil).is(200)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "hang on")
	s.until(id, "text_delta")
	ctx, cancel := context.WithCancel(t.Context())
	finished := make(chan error, 1)
	go func() { finished <- s.hub.WaitForTurns(ctx) }()
	s.ready(503)
	a := s.roundTrip("anna", "POST", path+"/turns", api.NewTurn{Text: "say"})
	a.isA(503, "shutting-down")
	if a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	s.roundTrip("", "GET", "/healthz", nil).is(200)
	if a := s.roundTrip("anna", "POST", "/v1/turns/"+string(turn.ID)+"/stop", nil).is(200).stopped(); a.Turns[0].Receipt.End != bellcord.EndStopped {
		t.Errorf("%+v", a)
	}
	if err := <-finished; err != nil {
		t.Error(err)
	}
	cancel()
}

// ready polls /readyz until it returns the status.
func (s *stage) ready(status int) {
	s.t.Helper()
	for began := time.Now(); time.Since(began) < patient; {
		if s.roundTrip("", "GET", "/readyz", nil).status == status {
			return
		}
	}
	s.t.Fatalf("it never was %d", status)
}
