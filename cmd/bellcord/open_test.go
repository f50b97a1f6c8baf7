//go:build unix

package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/api"
)

func TestOpenPrintsAnAddressThatLogsABrowserInOnce(t *testing.T) {
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
	if status := s.ask(http.MethodPost, "/v1/login", api.Login{Code: code}, nil); status != http.StatusNoContent {
		t.Errorf("the first time: %d", status)
	}
	if status := s.ask(http.MethodPost, "/v1/login", api.Login{Code: code}, nil); status != http.StatusUnauthorized {
		t.Errorf("the second time: %d", status)
	}
}

func TestOpenUsesTheNameThatTheServerWasGiven(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil, "--host", "bell.example")
	out, err := w.bellcord("open", "--print").Output()
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(strings.TrimSpace(string(out)))
	if err != nil || at.Hostname() != "bell.example" || !strings.HasSuffix(s.url, ":"+at.Port()) {
		t.Errorf("it printed %q (%v)", out, err)
	}
}

func TestOpenWithoutAServerSaysHowToStartOne(t *testing.T) {
	t.Parallel()
	out, err := newServerWorld(t).bellcord("open", "--print").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "bellcord serve") {
		t.Errorf("%v, %s", err, out)
	}
}
