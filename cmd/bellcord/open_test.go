//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/testkit/authtest"
)

func TestOpen_PrintedAddress_LogsInOnce(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	out, err := w.bellcord("open", "--print").Output()
	if err != nil {
		t.Fatal(err)
	}
	address, code, _ := strings.Cut(strings.TrimSpace(string(out)), "#")
	if address != s.url+"/login" || !regexp.MustCompile(`^[2-9A-Z]{5}-[2-9A-Z]{5}$`).MatchString(code) {
		t.Fatalf("it printed %q", out)
	}
	if strings.Contains(string(out), s.token) {
		t.Error("the token is in the address")
	}
	key := authtest.NewPageKey()
	if status := s.request(http.MethodPost, "/v1/login", api.Login{Code: code, Key: key.Public}, nil); status != http.StatusNoContent {
		t.Errorf("the first time: %d", status)
	}
	if status := s.request(http.MethodPost, "/v1/login", api.Login{Code: code, Key: key.Public}, nil); status != http.StatusUnauthorized {
		t.Errorf("the second time: %d", status)
	}
}

func TestOpen_WithoutAdmin_OmitsAdminScope(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	for flag, want := range map[string]string{"--print": "[read prompt stop undo]", "--admin": "[read prompt stop undo admin]"} {
		var me api.Me
		s.browser(w, "--print", flag)("/v1/me", &me)
		if fmt.Sprint(me.Scopes) != want {
			t.Errorf("open %s: %+v; want %s", flag, me, want)
		}
	}
}

func TestOpen_WithoutAdmin_ShowsSessionsOfLocalTerminals(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	if _, errs, code := w.does("run", "[say hello]"); code != 0 {
		t.Fatal(errs)
	}
	var page api.Sessions
	s.browser(w, "--print")("/v1/sessions", &page)
	if len(page.Sessions) != 1 || page.Sessions[0].Title != "[say hello]" {
		t.Errorf("the browser sees %+v", page.Sessions)
	}
}

// browser logs in with a code of bellcord open, and returns a function that makes requests as the
// page does.
func (d *daemon) browser(w *world, open ...string) (get func(path string, into any)) {
	w.t.Helper()
	out, err := w.bellcord(append([]string{"open"}, open...)...).Output()
	if err != nil {
		w.t.Fatal(err)
	}
	_, code, _ := strings.Cut(strings.TrimSpace(string(out)), "#")
	key := authtest.NewPageKey()
	resp, err := http.Post(d.url+"/v1/login", "application/json", strings.NewReader(`{"code":"`+code+`","key":"`+key.Public+`"}`))
	if err != nil {
		w.t.Fatal(err)
	}
	var challenge api.Challenge
	d.request(http.MethodGet, "/v1/challenge", nil, &challenge)
	if err = resp.Body.Close(); err != nil || len(resp.Cookies()) != 1 {
		w.t.Fatalf("%d %v %v", resp.StatusCode, resp.Cookies(), err)
	}
	return func(path string, into any) {
		w.t.Helper()
		r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, d.url+path, http.NoBody)
		if err != nil {
			w.t.Fatal(err)
		}
		r.AddCookie(resp.Cookies()[0])
		r.Header.Set("Bellcord-Page", key.Sign(challenge.Challenge))
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := errors.Join(json.NewDecoder(answer.Body).Decode(into), answer.Body.Close()); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestOpen_ServerWithAllowedHost_PrintsThatHost(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil, "--allow-host", "bell.example")
	out, err := w.bellcord("open", "--print").Output()
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(strings.TrimSpace(string(out)))
	if err != nil || at.Hostname() != "bell.example" || !strings.HasSuffix(s.url, ":"+at.Port()) {
		t.Errorf("it printed %q (%v)", out, err)
	}
}

func TestOpen_NoServer_PrintsHowToStartOne(t *testing.T) {
	t.Parallel()
	out, err := newServerWorld(t).bellcord("open", "--print").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "bellcord serve") {
		t.Errorf("%v, %s", err, out)
	}
}
