package web_test

import (
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/hub"
)

// shown requests a path without credentials and returns the response and its
// body.
func (s *stage) shown(method, path string, changes ...func(*http.Request)) (*http.Response, string) {
	s.t.Helper()
	resp, err := s.client.Do(s.request("", method, path, nil, changes...))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, string(body)
}

func TestPage_WithoutCredentials_IsTheSameForEveryPath(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	path, id := s.session("anna")
	s.ended("anna", s.prompt("anna", path, "say hello").ID)
	_, home := s.shown("GET", "/")
	for _, face := range []string{"/login", "/ops", "/settings", "/s/" + string(id), "/s/none"} {
		resp, body := s.shown("GET", face)
		if resp.StatusCode != http.StatusOK || body != home || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d, %s", face, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
	}
	for file, kind := range map[string]string{
		"/app.js": "text/javascript", "/app.css": "text/css", "/icon.svg": "image/svg+xml", "/manifest.webmanifest": "application/manifest+json", "/icon-180.png": "image/png",
	} {
		if resp, _ := s.shown("GET", file); resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), kind) {
			t.Errorf("%s: %d, %s", file, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
		if !strings.Contains(home, file) {
			t.Errorf("the page has no use for %s", file)
		}
	}
}

// The app can be installed: its manifest names icons that exist. The worker
// handles no requests, so it can keep no old page.
func TestPage_Manifest_NamesFilesOfTheirTypes(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	_, body := s.shown("GET", "/manifest.webmanifest")
	var manifest struct {
		Name  string `json:"name"`
		Start string `json:"start_url"`
		Icons []struct{ Src, Sizes, Type, Purpose string }
	}
	if err := json.Unmarshal([]byte(body), &manifest); err != nil || manifest.Name != "Bellcord" || manifest.Start != "/" || len(manifest.Icons) < 4 {
		t.Fatalf("%+v, %v", manifest, err)
	}
	for _, icon := range manifest.Icons {
		resp, content := s.shown("GET", icon.Src)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != icon.Type {
			t.Errorf("%s: %d, %s", icon.Src, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
		if icon.Type != "image/png" {
			continue
		}
		drawn, err := png.DecodeConfig(strings.NewReader(content))
		if size := fmt.Sprintf("%dx%d", drawn.Width, drawn.Height); err != nil || size != icon.Sizes {
			t.Errorf("%s is %s, not %s: %v", icon.Src, size, icon.Sizes, err)
		}
	}
	resp, worker := s.shown("GET", "/worker.js")
	if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/javascript") || strings.Contains(worker, "'fetch'") || strings.Contains(worker, "caches") {
		t.Errorf("the worker: %s\n%s", kind, worker)
	}
}

func TestPage_ContentSecurityPolicy_ForbidsForeignContent(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	resp, body := s.shown("GET", "/")
	policy := map[string]string{}
	for part := range strings.SplitSeq(resp.Header.Get("Content-Security-Policy"), "; ") {
		name, value, _ := strings.Cut(part, " ")
		policy[name] = value
	}
	for name, want := range map[string]string{
		"default-src": "'self'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'", "img-src": "'self' data:",
		"object-src": "'none'", "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
		"require-trusted-types-for": "'script'", "trusted-types": "bellcord-worker", "worker-src": "'self'",
	} {
		if policy[name] != want {
			t.Errorf("%s is %q", name, policy[name])
		}
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-cache",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	for _, inline := range []string{"<style", "style=", "onload=", "://"} {
		if strings.Contains(body, inline) {
			t.Errorf("the page has %s in it", inline)
		}
	}
	if strings.Count(body, "<script") != strings.Count(body, `src="/app.js"`) {
		t.Error("the page has a script of its own in it")
	}
}

func TestPage_MatchingETag_ReturnsNotModified(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	resp, _ := s.shown("GET", "/app.js")
	if again, body := s.shown("GET", "/app.js", header("If-None-Match", resp.Header.Get("ETag"))); again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("status %d, %d bytes", again.StatusCode, len(body))
	}
	if head, body := s.shown("HEAD", "/"); head.StatusCode != http.StatusOK || body != "" {
		t.Errorf("status %d, %q", head.StatusCode, body)
	}
}

func TestPage_HostOriginAndMethod_AreCheckedLikeTheAPI(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, host := range []string{"127.0.0.1:4500.evil.example", "127.0.0.1:evil", "127.0.0.1:-1", "[127.0.0.1]:80.evil.example"} {
		if resp, _ := s.shown("GET", "/", func(r *http.Request) { r.Host = host }); resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("the host %q gets %d", host, resp.StatusCode)
		}
	}
	if resp, _ := s.shown("GET", "/", func(r *http.Request) { r.Host = "evil.example" }); resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("for another host: %d", resp.StatusCode)
	}
	if resp, _ := s.shown("GET", "/", header("Origin", "https://evil.example")); resp.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %d", resp.StatusCode)
	}
	for _, path := range []string{"/", "/login", "/ops", "/search", "/share/x.y", "/app.js", "/s/x", "/s/x/t/y"} {
		s.roundTrip("", "POST", path, `{}`).isA(401, "no-credentials")
	}
	for _, path := range []string{"/s/", "/s/a/b", "/s/a/t", "/s/a/t/", "/s//t/b", "/s/a/u/b", "/s/a/t/b/c", "/share/", "/share/a/b", "/dist/app.js", "/index.html", "/app.js.map", "/../page.go", "/s/..%2f..%2fv1"} {
		if resp, body := s.shown("GET", path); resp.StatusCode != http.StatusUnauthorized && !strings.Contains(body, "<title>Bellcord</title>") {
			t.Errorf("%s: %d %.80s", path, resp.StatusCode, body)
		}
	}
}

func TestPage_GraceCountdown_MatchesTheHubsDefault(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join("..", "..", "..", "web", "src", "turn.tsx"))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("const grace = %d\n", hub.DefaultGrace.Milliseconds()); !strings.Contains(string(source), want) {
		t.Errorf("the page does not say %q", want)
	}
}

func TestPage_UnknownPath_IsHTMLForBrowsersAndJSONForPrograms(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	browser := header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	for _, path := range []string{"/nope", "/s/", "/s/a/b"} {
		resp, body := s.shown("GET", path, browser)
		if resp.StatusCode != http.StatusNotFound || !strings.Contains(body, "<title>Bellcord</title>") || resp.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %d %.80s", path, resp.StatusCode, body)
		}
	}
	for _, path := range []string{"/v1/nope", "/v1", "/metrics", "/debug/pprof/"} {
		if resp, body := s.shown("GET", path, browser); strings.Contains(body, "<title>") || !strings.Contains(resp.Header.Get("Content-Type"), "json") {
			t.Errorf("%s: %d %.80s", path, resp.StatusCode, body)
		}
	}
	if resp, body := s.shown("GET", "/nope"); resp.StatusCode != http.StatusUnauthorized || strings.Contains(body, "<title>") {
		t.Errorf("a program: %d %.80s", resp.StatusCode, body)
	}
}
