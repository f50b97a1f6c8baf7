package fakegram_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// listening returns a server on a real port, with Anna and a group.
func listening(t *testing.T) (*fakegram.Server, string) {
	t.Helper()
	s := fakegram.New()
	s.AddPerson(fakegram.User{ID: anna, FirstName: "Anna"})
	s.AddGroup(group, "Ringers", anna)
	running, url, err := s.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, url
}

func sendRequest(t *testing.T, method, url, body string, headers map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestPage_Policy_IsStrictAndNothingIsLoadedFromElsewhere(t *testing.T) {
	t.Parallel()
	_, url := listening(t)
	for path, kind := range map[string]string{"/": "text/html", "/page.css": "text/css", "/page.js": "text/javascript", "/text.js": "text/javascript"} {
		resp := sendRequest(t, http.MethodGet, url+path, "", nil)
		body, _ := io.ReadAll(resp.Body)
		policy := resp.Header.Get("Content-Security-Policy")
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), kind) || !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %d %v", path, resp.StatusCode, resp.Header)
		}
		for _, word := range []string{"http://", "https://", "innerHTML", "style=", "onclick"} {
			if strings.Contains(string(body), word) {
				t.Errorf("%s has %q", path, word)
			}
		}
	}
}

func TestPage_Changes_AreStreamed(t *testing.T) {
	t.Parallel()
	s, url := listening(t)
	lines := bufio.NewScanner(sendRequest(t, http.MethodGet, url+"/live", "", nil).Body)
	lines.Buffer(nil, 1<<20)
	next := func(holds func(p string) bool) {
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is && json.Valid([]byte(data)) && holds(data) {
				return
			}
		}
		t.Fatal("the stream ended")
	}
	next(func(p string) bool { return strings.Contains(p, `"Ringers"`) })
	resp := sendRequest(t, http.MethodPost, url+"/say", `{"chat":1001,"user":1001,"text":"<script>hello"}`, nil)
	if resp.StatusCode != http.StatusNoContent {
		t.Fatalf("status %d", resp.StatusCode)
	}
	next(func(p string) bool { return strings.Contains(p, `\u003cscript\u003ehello`) })
	sent := sendRequest(t, http.MethodPost, url+"/bot1:TEST/sendMessageDraft", `{"chat_id":1001,"draft_id":3,"text":"draft","can_stop":true}`, map[string]string{"Content-Type": "application/json"})
	if sent.StatusCode != http.StatusOK {
		t.Fatalf("status %d", sent.StatusCode)
	}
	next(func(p string) bool { return strings.Contains(p, `"can_stop":true`) })
	if stopped := sendRequest(t, http.MethodPost, url+"/stop", `{"chat":1001}`, nil); stopped.StatusCode != http.StatusNoContent {
		t.Fatalf("status %d", stopped.StatusCode)
	}
	next(func(p string) bool { return !strings.Contains(p, `"can_stop":true`) })
	if again := sendRequest(t, http.MethodPost, url+"/stop", `{"chat":1001}`, nil); again.StatusCode != http.StatusConflict {
		t.Errorf("status %d", again.StatusCode)
	}
	if got := s.Violations(); len(got) != 0 {
		t.Errorf("violations %q", got)
	}
}

func TestPage_OtherHostOrOrigin_IsRefused(t *testing.T) {
	t.Parallel()
	s, url := listening(t)
	if resp := sendRequest(t, http.MethodGet, url+"/live", "", map[string]string{"Host": "evil.example"}); resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("another host: %d", resp.StatusCode)
	}
	body := `{"chat":1001,"user":1001,"text":"hello"}`
	if resp := sendRequest(t, http.MethodPost, url+"/say", body, map[string]string{"Origin": "https://evil.example"}); resp.StatusCode != http.StatusForbidden {
		t.Errorf("another origin: %d", resp.StatusCode)
	}
	if got := s.Chat(anna).Messages; len(got) != 0 {
		t.Errorf("it was said: %+v", got)
	}
}

func TestListen_NotLoopback_IsRefused(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", "nonsense", "192.0.2.1:0"} {
		if _, _, err := fakegram.New().Listen(addr); err == nil {
			t.Errorf("listening on %s worked", addr)
		}
	}
}
