package wire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// The secret is as long as a real one.
var (
	secret = strings.Repeat("Zq", 17) + "_"
	token  = "1234567:" + secret
)

// answering returns a bot connected to a server with the given handler, for
// responses that the strict fake server never gives.
func answering(t *testing.T, log io.Writer, answer http.HandlerFunc) *wire.Bot {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return reaching(t, log, server.URL)
}

func reaching(t *testing.T, log io.Writer, server string) *wire.Bot {
	t.Helper()
	b, err := wire.New(wire.Config{Token: token, Server: server, Dir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func saying(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestSend_GroupWasUpgraded_ReturnsMovedWithNewID(t *testing.T) {
	t.Parallel()
	b := answering(t, io.Discard, saying(400, `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1001234567890}}`))
	_, err := b.Send(t.Context(), wire.Text{Place: toAnna, Text: "x"})
	var moved wire.Moved
	if !errors.As(err, &moved) || moved.To != -1001234567890 || !errors.Is(err, outbox.ErrNever) {
		t.Error(err)
	}
}

func TestDelete_MessageIsGone_ReturnsNil(t *testing.T) {
	t.Parallel()
	b := answering(t, io.Discard, saying(400, `{"ok":false,"error_code":400,"description":"Bad Request: message to delete not found"}`))
	if err := b.Delete(t.Context(), toAnna, []int{1}); err != nil {
		t.Error(err)
	}
}

func TestCalls_ProxyErrorPage_FailTemporarily(t *testing.T) {
	t.Parallel()
	b := answering(t, io.Discard, saying(502, "<html>Bad Gateway</html>"))
	err := b.Typing(t.Context(), toAnna)
	if err == nil || errors.Is(err, outbox.ErrNever) || strings.Contains(err.Error(), "<html>") || !strings.Contains(err.Error(), "502") {
		t.Error(err)
	}
}

func TestCalls_Redirect_IsNotFollowedWithTheToken(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("it went to %s", r.URL)
	}))
	defer elsewhere.Close()
	b := answering(t, io.Discard, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})
	for method, call := range calls {
		if err := call(t.Context(), b); err == nil {
			t.Errorf("%s passed", method)
		}
	}
}

func TestDownload_FileLargerThanReported_FailsTooLarge(t *testing.T) {
	t.Parallel()
	b := answering(t, io.Discard, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/file/") {
			_, _ = io.Copy(w, io.LimitReader(endless{}, 1<<30))
			return
		}
		_, _ = io.WriteString(w, `{"ok":true,"result":{"file_id":"1","file_size":3,"file_path":"a/b.txt"}}`)
	})
	if data, err := b.Download(t.Context(), "1", 1000); !errors.Is(err, wire.ErrTooLarge) || !errors.Is(err, outbox.ErrNever) || len(data) != 0 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// The servers fail in every way; some repeat the token in their responses.
func TestCalls_ServersRepeatTheToken_ErrorsAndLogsDoNotContainIt(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/bot"+token+"/%zz")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"ok":false,"error_code":%d,"description":"no %s here, nor %s"}`, status, r.URL.Path, secret)
		}
	}
	broken := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "getFile") {
			_, _ = io.WriteString(w, `{"ok":true,"result":{"file_id":"1","file_path":"a\u007f/%zz"}}`)
			return
		}
		panic(http.ErrAbortHandler)
	}
	half := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "getFile") {
			_, _ = io.WriteString(w, `{"ok":true,"result":{"file_id":"1","file_path":"a/b"}}`)
			return
		}
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "half of")
	}
	log := &notes{}
	bots := []*wire.Bot{reaching(t, log, closed.URL), answering(t, log, broken), answering(t, log, half), answering(t, log, saying(200, token))}
	for _, status := range []int{200, 301, 400, 401, 403, 404, 409, 413, 429, 500} {
		bots = append(bots, answering(t, log, echo(status)))
	}
	for _, b := range bots {
		for method, call := range calls {
			discreet(t, method, call(t.Context(), b))
		}
		ctx, done := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := b.Poll(ctx, func(wire.Update) {})
		if err != nil {
			discreet(t, "polling", err)
		}
		done()
	}
	if log.count("level=WARN") == 0 || log.count(token) > 0 || log.count(secret) > 0 {
		t.Errorf("the log is %s", log.text.String())
	}
}

// discreet checks that err and the errors it wraps do not contain the secret.
func discreet(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s passed", what)
		return
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		if text := fmt.Sprintf("%v %+v %#v", inner, inner, inner); strings.Contains(text, secret) {
			t.Errorf("%s: %s", what, text)
		}
	}
}

func TestNew_InvalidTokenOrServer_FailsWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for _, c := range []wire.Config{
		{Token: ""},
		{Token: secret},
		{Token: token + "/../x"},
		{Token: "x:" + secret},
		{Token: token + "\n"},
		{Token: token, Server: "ftp://" + secret},
		{Token: token, Server: "\x7f" + secret},
		{Token: token, Server: secret},
	} {
		c.Dir = t.TempDir()
		b, err := wire.New(c)
		if b != nil {
			t.Errorf("%+v is taken", c)
		}
		discreet(t, "making it", err)
	}
}
