package web_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// shared requests the content of a share without credentials.
func (s *stage) shared(token string) answer {
	s.t.Helper()
	return s.roundTrip("", "GET", "/v1/shared", nil, func(r *http.Request) { r.Header.Set("Bellcord-Share", token) })
}

func (s *stage) share(path string, body api.NewShare) api.Share {
	s.t.Helper()
	var made api.Share
	s.roundTrip("anna", "POST", path+"/shares", body).is(201).into(&made)
	return made
}

func TestShare_Conversation_IsReadByItsLinkAsItWas(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	s.roundTrip("anna", "PATCH", path, api.SessionChange{Title: "Fix totals"}).is(200)
	s.ended("anna", s.prompt("anna", path, "say The sum is <b>7</b>.").ID)
	made := s.share(path, api.NewShare{})
	if days := time.Until(made.Expires).Hours() / 24; days < 6.9 || days > 7.1 || made.Session != id || made.Title != "Fix totals" {
		t.Errorf("%+v", made)
	}
	s.ended("anna", s.prompt("anna", path, "say later").ID)
	a := s.shared(made.Token).is(200)
	var got api.Shared
	a.into(&got)
	if len(got.Turns) != 1 || got.Turns[0].Prompt != "say The sum is <b>7</b>." || got.Turns[0].End != bellcord.EndDone || got.Title != "Fix totals" || got.Owner != "anna" {
		t.Errorf("%+v", got)
	}
	if parts := got.Turns[0].Parts; len(parts) != 1 || parts[0].Text != "The sum is <b>7</b>." {
		t.Errorf("%+v", parts)
	}
	for header, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"} {
		if got := a.header.Get(header); got != want {
			t.Errorf("%s: %s", header, got)
		}
	}
	if bytes.Contains(a.body, []byte(id)) {
		t.Error("the share contains the id of the session")
	}
}

func TestShare_ToolOutput_IsCopiedOnlyIfRequested(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) {
		with.Hide = func(text string) string { return strings.ReplaceAll(text, "hunter2", "…") }
	})
	path, _ := s.session("anna")
	s.ended("anna", s.prompt("anna", path, "call cat plan.txt").ID)
	without, with := s.share(path, api.NewShare{}), s.share(path, api.NewShare{ToolOutput: true})
	var got api.Shared
	a := s.shared(without.Token).is(200)
	a.into(&got)
	if part := got.Turns[0].Parts[0]; part.Tool != "shell" || part.Title != "cat plan.txt" || part.Outcome != "finished" || part.Output+part.Input != "" || bytes.Contains(a.body, []byte("secret plan")) {
		t.Errorf("%+v", part)
	}
	a = s.shared(with.Token).is(200)
	a.into(&got)
	if part := got.Turns[0].Parts[0]; part.Output != "the secret plan …" || !strings.Contains(part.Input, "cat plan.txt") {
		t.Errorf("%+v", part)
	}
	s.roundTrip("anna", "POST", path+"/clear", nil).is(200)
	cleared := s.share(path, api.NewShare{})
	s.shared(cleared.Token).is(200).into(&got)
	if len(got.Turns) != 0 {
		t.Errorf("a cleared conversation has %+v", got.Turns)
	}
}

// The token of a share opens its copy and nothing else. Without the whole
// token, a share is not found.
func TestHeld_ShareToken_OpensNothingElse(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	turn := s.prompt("anna", path, "say secret").ID
	s.ended("anna", turn)
	made := s.share(path, api.NewShare{Days: 1})
	name, secret, _ := strings.Cut(made.Token, ".")
	s.tokens["share"] = made.Token
	for _, op := range s.operations() {
		if op.scope == "" {
			continue
		}
		a := s.roundTrip("share", op.method, op.at(string(id), string(turn), "q"), op.body(), func(r *http.Request) { r.Header.Set("Bellcord-Share", made.Token) })
		if a.status != 401 {
			t.Errorf("%s with the token of a share: %d", op, a.status)
		}
	}
	delete(s.tokens, "share")
	unknown := s.shared("AAAAAAAAAAAA." + secret)
	unknown.isA(404, "share-not-found")
	for _, token := range []string{name, name + ".", "." + secret, secret, name + "." + secret[1:], name + "." + secret + "x", name + "." + strings.ToLower(secret), name + "/" + secret, "x.y", "%"} {
		if a := s.shared(token); a.status != 404 || !bytes.Equal(a.body, unknown.body) {
			t.Errorf("%s: %d %s", token, a.status, a.body)
		}
	}
	s.roundTrip("", "GET", "/v1/shared", nil).is(422)
	s.roundTrip("", "GET", "/v1/shared?token="+made.Token, nil).is(422)
	for _, user := range []string{"anna", "reader"} {
		var all api.Shares
		a := s.roundTrip(user, "GET", "/v1/shares", nil).is(200)
		if a.into(&all); len(all.Shares) != 1 || all.Shares[0].ID != name || bytes.Contains(a.body, []byte(secret)) {
			t.Errorf("%s: %s", user, a.body)
		}
	}
	stored, err := s.store.Share(t.Context(), name)
	if err != nil || bytes.Contains(stored.Hash, []byte(secret)) || bytes.Contains(stored.Content, []byte(secret)) {
		t.Errorf("%+v, %v", stored, err)
	}
}

func TestHeld_SharesOfAnotherOwner_AreNotFound(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	made := s.share(path, api.NewShare{})
	var all api.Shares
	for _, query := range []string{"", "?session=" + string(id)} {
		if s.roundTrip("bert", "GET", "/v1/shares"+query, nil).is(200).into(&all); len(all.Shares) != 0 {
			t.Errorf("bert has %+v", all)
		}
	}
	foreign := s.roundTrip("bert", "DELETE", "/v1/shares/"+made.ID, nil)
	none := s.roundTrip("bert", "DELETE", "/v1/shares/none", nil)
	foreign.isA(404, "share-not-found")
	if !bytes.Equal(foreign.body, none.body) {
		t.Errorf("%s, but %s", foreign.body, none.body)
	}
	s.roundTrip("bert", "POST", path+"/shares", `{}`).isA(404, "session-not-found")
	s.roundTrip("admin", "POST", path+"/shares", `{}`).isA(409, "not-the-owner")
	s.shared(made.Token).is(200)
	s.roundTrip("anna", "DELETE", "/v1/shares/"+made.ID, nil).is(204)
	s.shared(made.Token).isA(404, "share-not-found")
}

func TestShare_DeletedSessionOrExpiry_EndsTheLink(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	made := s.share(path, api.NewShare{Days: 90})
	for _, days := range []int{-1, 91} {
		s.roundTrip("anna", "POST", path+"/shares", api.NewShare{Days: days}).is(422)
	}
	expired := s.share(path, api.NewShare{})
	stored, err := s.store.Share(t.Context(), expired.ID)
	if err == nil {
		err = s.store.DeleteShare(t.Context(), expired.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	stored.Expires = time.Now().Add(-time.Second)
	if err := s.store.PutShare(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	s.shared(expired.Token).isA(404, "share-not-found")
	var all api.Shares
	if s.roundTrip("anna", "GET", "/v1/shares?session="+string(id), nil).is(200).into(&all); len(all.Shares) != 1 || all.Shares[0].ID != made.ID {
		t.Errorf("%+v", all)
	}
	s.roundTrip("anna", "DELETE", path, nil).is(204)
	s.shared(made.Token).isA(404, "share-not-found")
}
