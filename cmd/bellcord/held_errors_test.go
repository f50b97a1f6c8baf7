//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord"
)

const (
	heldKey      = "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8t"
	heldPassword = "Zu7-Ber9_Xq4Lw"
)

// reveals fails the test if text contains 8 consecutive characters of the secret or its masked
// form.
func reveals(t *testing.T, where, text, secret string) {
	t.Helper()
	for i := 0; i+8 <= len(secret); i++ {
		if piece := secret[i : i+8]; strings.Contains(text, piece) {
			t.Errorf("%s has %q: %.400q", where, piece, text[max(0, strings.Index(text, piece)-100):])
			return
		}
	}
	for _, echo := range []string{secret[:6] + "*", "*" + secret[len(secret)-4:]} {
		if strings.Contains(text, echo) {
			t.Errorf("%s has %q", where, echo)
		}
	}
}

// files returns the contents of all files in a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// A provider that repeats the key in its errors, whole or masked, cannot bring it onto a screen,
// into the store, a log, an answer or the output of doctor.
func TestHeld_KeyRepeatedByProviderAndMCPServer_IsRedactedEverywhere(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	var answered atomic.Int64
	provider := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		answered.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Header.Get("Authorization") == "" {
			return // doctor checks the clock
		}
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(rw, `{"error":{"message":"Incorrect API key provided: %s (%s*****%s, %s)"}}`, key, key[:6], key[len(key)-4:], key[:12])
	}))
	t.Cleanup(provider.Close)
	file := w.writeFile("config.toml", fmt.Sprintf(`
[provider.bad]
api = "chat"
api_key = %q
base_url = %q
[mcp.bad]
url = %q
headers = { Authorization = "Bearer %s" }
`, heldKey, provider.URL, provider.URL, heldPassword), 0o600)
	both := func(where, text string) {
		t.Helper()
		reveals(t, where, text, heldKey)
		reveals(t, where, text, heldPassword)
	}
	out, errs, code := w.does("run", "--config", file, "--model", "bad/x", "--json", "hello")
	if code != exitFailed || !strings.Contains(out, "[secret]") || answered.Load() == 0 {
		t.Errorf("run: %d, %d answers: %s%s", code, answered.Load(), out, errs)
	}
	both("run --json", out+errs)
	out, errs, _ = w.does("doctor", "--config", file)
	if !strings.Contains(out, "[secret]") {
		t.Errorf("doctor: %s", out)
	}
	both("doctor", out+errs)
	_, errs, _ = w.does("models", "--config", file, "bad")
	if !strings.Contains(errs, "[secret]") {
		t.Errorf("models: %s", errs)
	}
	both("models", errs)

	s := w.daemon(nil, "--config", file, "--model", "bad/x")
	session, turn := s.prompts("hello")
	s.until(session, "turn_ended")
	var shown struct{ Receipt bellcord.Receipt }
	s.request("GET", "/v1/turns/"+string(turn), nil, &shown)
	if !strings.Contains(shown.Receipt.Error, "[secret]") {
		t.Errorf("the turn over HTTP: %+v", shown)
	}
	both("HTTP", fmt.Sprint(shown))
	s.terminates()
	s.ends()
	if log := s.stderrText(); !strings.Contains(log, "turn failed") || !strings.Contains(log, "[secret]") {
		t.Errorf("log: %s", log)
	}
	both("log", s.stderrText())
	if err := os.RemoveAll(filepath.Join(w.data, "undo")); err != nil { // it keeps the files of the directory, also this one's settings
		t.Fatal(err)
	}
	both("store", files(t, w.data))
}

// The passwords in the URLs of the store and of NATS appear in no error of serve and doctor,
// whatever is wrong with the URL.
func TestHeld_PasswordsOfStoreAndNATS_AppearInNoError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := heldPassword
	for _, store := range []string{
		"postgres://me:" + p + "@127.0.0.1:1/db?connect_timeout=2", "postgres://me:" + p + "@127.0.0.1:notaport/db", "postgres://me:" + p + "%zz@127.0.0.1:1/db",
		"postgresql://127.0.0.1:1/db?password=" + p, "mysql://me:" + p + "@127.0.0.1:1/db", "postgres://me:" + p + "@127.0.0.1:1/db?sslmode=nonsense",
		"postgres://me:" + p + " x@127.0.0.1:1/db",
	} {
		for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0", "--store-url", store}, {"doctor", "--store-url", store}, {"sessions", "--store-url", store}} {
			out, errs, code := w.does(args...)
			if code == 0 && args[0] != "doctor" {
				t.Errorf("%v works", args)
			}
			reveals(t, fmt.Sprint(args[0], " with ", store), out+errs, p)
		}
	}
	url := os.Getenv("BELLCORD_POSTGRES")
	if url == "" {
		url = "postgres://me:" + p + "@127.0.0.1:1/db?connect_timeout=2"
	}
	for _, nats := range []string{"nats://me:" + p + "@127.0.0.1:notaport", "nats://me:" + p + "%zz@127.0.0.1:1", "nats://" + p + "@127.0.0.1:notaport", "nats://me:" + p + "@127.0.0.1:x,nats://127.0.0.1:1"} {
		out, errs, code := w.does("serve", "--addr", "127.0.0.1:0", "--store-url", url, "--nats", nats)
		if code == 0 {
			t.Errorf("%s works: %s", nats, out+errs)
		}
		reveals(t, "serve with "+nats, out+errs, p)
	}
}
