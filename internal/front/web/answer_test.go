package web_test

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// isSafe checks what holds for every response, including errors: it is not
// rendered as a page, not cached, not readable by other sites, and contains no
// token.
func (a answer) isSafe(tokens map[string]string) {
	a.t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Referrer-Policy": "no-referrer",
	} {
		if got := a.header.Get(name); got != want {
			a.t.Errorf("%s: %s is %q", a.request, name, got)
		}
	}
	for name := range a.header {
		if strings.HasPrefix(name, "Access-Control-") || name == "X-Injected" {
			a.t.Errorf("%s: the answer has the header %s", a.request, name)
		}
	}
	for user, token := range tokens {
		if strings.Contains(string(a.body), token[strings.LastIndex(token, "_")+1:]) {
			a.t.Errorf("%s: the token of %s is in the answer", a.request, user)
		}
	}
	if a.status >= 400 {
		a.isProblem()
	}
}

// isProblem checks an error response.
func (a answer) isProblem() {
	a.t.Helper()
	if a.header.Get("Content-Type") != "application/problem+json" {
		if !strings.HasSuffix(strings.Fields(a.request)[1], "/readyz") { // it reports the server's state
			a.t.Errorf("%s: status %d has the content type %q", a.request, a.status, a.header.Get("Content-Type"))
		}
		return
	}
	p := a.problem()
	if p.Status != a.status || p.Title == "" || p.Detail == "" || p.Type == "" && a.status != 422 && a.status != 400 {
		a.t.Errorf("%s: status %d with the problem %s", a.request, a.status, a.body)
	}
}

type problem struct {
	Type, Title, Detail string
	Status              int
}

func (a answer) problem() problem {
	a.t.Helper()
	var p problem
	a.into(&p)
	return p
}

// word returns the type of the problem without its prefix.
func (a answer) word() string {
	a.t.Helper()
	return strings.TrimPrefix(a.problem().Type, "urn:bellcord:")
}

// is fails the test unless the response has the status.
func (a answer) is(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, %s; want %d", a.request, a.status, a.body, status)
	}
	return a
}

// isA is like is and also checks the type of the problem.
func (a answer) isA(status int, word string) {
	a.t.Helper()
	if a.status != status || a.word() != word {
		a.t.Errorf("%s: status %d, %s; want %d %s", a.request, a.status, a.body, status, word)
	}
}

func (a answer) into(v any) {
	a.t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		a.t.Fatalf("%s: %v in %s", a.request, err, a.body)
	}
}

func (a answer) turn() (t api.Turn) { a.t.Helper(); a.into(&t); return t }

func (a answer) turns() []api.Turn { a.t.Helper(); var l api.Turns; a.into(&l); return l.Turns }

func (a answer) stopped() (s api.Stopped) { a.t.Helper(); a.into(&s); return s }

// session creates a session and returns its path and ID.
func (s *stage) session(user string) (path string, id bellcord.SessionID) {
	s.t.Helper()
	var made bellcord.Session
	s.roundTrip(user, "POST", "/v1/sessions", nil).is(201).into(&made)
	return "/v1/sessions/" + string(made.ID), made.ID
}

// prompt creates a turn in the session at the path.
func (s *stage) prompt(user, session, text string) api.Turn {
	s.t.Helper()
	return s.roundTrip(user, "POST", session+"/turns", api.NewTurn{Text: text}).is(202).turn()
}

// ended waits for the end of a turn and returns its receipt.
func (s *stage) ended(user string, id bellcord.TurnID) bellcord.Receipt {
	s.t.Helper()
	t := s.roundTrip(user, "GET", "/v1/turns/"+string(id)+"?wait=30s", nil).is(200).turn()
	if t.Receipt == nil {
		s.t.Fatalf("the turn is %s", t.State)
	}
	return *t.Receipt
}

// until waits for an event of a kind in a session.
func (s *stage) until(id bellcord.SessionID, kind string) bellcord.Event {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), patient)
	defer done()
	cursor, err := s.hub.Events(ctx, id, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			s.t.Fatalf("no %s came: %v", kind, err)
		}
		for _, ev := range events {
			if ev.Body.Kind() == kind {
				return ev
			}
		}
	}
}
