package tool_test

import (
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

// inside allows fetching from the servers of these tests.
var inside = tool.FetchOptions{AllowPrivate: true}

func site(t *testing.T, pages map[string]http.HandlerFunc) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	for path, page := range pages {
		mux.HandleFunc(path, page)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close) // waits until every connection is closed
	return server.URL
}

func respond(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{kind}
		if kind == "" {
			w.Header()["Content-Type"] = nil
		}
		_, _ = w.Write([]byte(text))
	}
}

func TestFetch_EachContentType_ReturnsTextOrFails(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]http.HandlerFunc{
		"/html":   respond("text/html; charset=utf-8", "<p>One<script>x</script></p><p>日本</p>"),
		"/plain":  respond("text/plain", "<p>as it is</p>"),
		"/json":   respond("application/vnd.api+json", `{"a":1}`),
		"/latin":  respond("text/plain; charset=ISO-8859-1", "caf\xe9"),
		"/bad":    respond("text/plain", "a\xffb"),
		"/silent": respond("", "no kind given"),
		"/stream": respond("application/octet-stream", "text after all"),
		"/empty":  respond("text/plain", ""),
		"/long":   respond("text/plain", strings.Repeat("x", 3000)),
		"/png":    respond("image/png", "\x89PNG\r\n\x1a\n"),
		"/liar":   respond("text/plain", "a\x00b"),
		"/blob":   respond("", "\x00\x01\x02"),
		"/zip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write([]byte(strings.Repeat("\n", 4<<20))) // a small decompression bomb
			_ = z.Close()
		},
		"/gone": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "it was here", http.StatusGone) },
		"/to/": func(w http.ResponseWriter, r *http.Request) {
			n := len(r.URL.Path) - len("/to/")
			to := r.URL.Path[:max(len(r.URL.Path)-1, 4)]
			if n == 0 {
				to = "/plain"
			}
			http.Redirect(w, r, to, http.StatusFound)
		},
		"/meta": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		},
		"/file": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		},
	})
	tests := []struct {
		name, path string
		most       int
		failed     bool
		want       string // contained in the text; U is replaced by the site's URL
	}{
		{"a page, without its tags", "/html", 0, false, "[200 OK, text/html, U/html]\n\nOne\n\n日本"},
		{"text as it is", "/plain", 0, false, "[200 OK, text/plain, U/plain]\n\n<p>as it is</p>"},
		{"data", "/json", 0, false, "[200 OK, application/vnd.api+json, U/json]\n\n{\"a\":1}"},
		{"old letters", "/latin", 0, false, "café"},
		{"what is no text in a text", "/bad", 0, false, "a\uFFFDb"},
		{"what does not say what it is", "/silent", 0, false, "text/plain, U/silent]\n\nno kind given"},
		{"what says that it could be anything", "/stream", 0, false, "text after all"},
		{"nothing", "/empty", 0, false, "U/empty]\n\n"},
		{"no more than is asked for", "/long", 1000, false, "\n\n" + strings.Repeat("x", 1000) + "\n[cut: only the first 1000 bytes of the page were read]"},
		{"just as much as there is", "/long", 3000, false, strings.Repeat("x", 3000)},
		{"no more than a text can have, whatever it unpacks to", "/zip", 0, false, "\n[cut after 102400 bytes of text]"},
		{"the page five redirects away, and its address", "/to/1234", 0, false, "U/plain]"},
		{"no page six redirects away", "/to/12345", 0, true, "more than 5 redirects"},
		{"no page that a redirect has in a private place", "/meta", 0, true, "169.254.169.254 is refused"},
		{"no file that a redirect names", "/file", 0, true, "unsupported protocol scheme"},
		{"a refusal, which is a failure", "/gone", 0, true, "[410 Gone, text/plain, U/gone]\n\nit was here"},
		{"no picture", "/png", 0, true, "error: U/png is image/png of 8 bytes, not text"},
		{"no picture that says it is text", "/liar", 0, true, "of 3 bytes, not text"},
		{"no picture that says nothing", "/blob", 0, true, "application/octet-stream of 3 bytes, not text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := fields{"url": url + test.path}
			if test.most > 0 {
				args["max_bytes"] = test.most
			}
			got := use(t, t.Context(), tool.Fetch(inside), "", args)
			if want := strings.ReplaceAll(test.want, "U", url); got.Failed != test.failed || got.Fate != bellcord.CallFinished || !strings.Contains(got.Text, want) && !strings.Contains(got.Text, test.want) {
				t.Errorf("%.300q … %q", got.Text, got.Text[max(0, len(got.Text)-100):])
			}
			if len(got.Text) > 300<<10 || test.most == 3000 && strings.Contains(got.Text, "cut") {
				t.Errorf("%d bytes", len(got.Text))
			}
		})
	}
}

func TestFetch_AddressNotPublic_IsRefused(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]http.HandlerFunc{"/": respond("text/plain", "secret")})
	port := url[strings.LastIndex(url, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1"} {
		got := use(t, t.Context(), tool.Fetch(tool.FetchOptions{}), "", fields{"url": "http://" + host + port})
		if !got.Failed || !strings.Contains(got.Text, "is refused: not a public address") {
			t.Errorf("%s: %+v", host, got)
		}
	}
}
