package responses_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/responses"
)

// failed checks that err contains words and is an llm.Failure with the given
// reason and status. If reason is "", err must not be an llm.Failure.
func failed(t *testing.T, err error, reason llm.Reason, status int, words string) {
	t.Helper()
	var f *llm.Failure
	switch is := errors.As(err, &f); {
	case err == nil || !strings.Contains(err.Error(), words):
		t.Errorf("error %v, want %q", err, words)
	case is != (reason != ""):
		t.Errorf("error %v, want reason %q", err, reason)
	case is && (f.Reason != reason || f.Status != status):
		t.Errorf("error %v for %q with status %d, want %q with %d", err, f.Reason, f.Status, reason, status)
	}
}

func TestAsk_ErrorStatus_ReturnsMatchingReason(t *testing.T) {
	t.Parallel()
	for status, reason := range map[int]llm.Reason{
		400: llm.Refused, 401: llm.Unauthorized, 402: llm.NoQuota, 403: llm.Unauthorized, 404: llm.NoModel, 413: llm.TooLong, 422: llm.Refused,
		408: llm.ServerError, 409: llm.ServerError, 429: llm.RateLimited, 500: llm.ServerError, 503: llm.Overloaded,
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			p, server := fake(t)
			_, err := p.Generate(t.Context(), prompt("[status "+strconv.Itoa(status)+" retry 7]"), ignore)
			failed(t, err, reason, status, "the script asked for this error")
			var f *llm.Failure
			if errors.As(err, &f) && f.After != 7*time.Second {
				t.Errorf("after %v", f.After)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("the provider asked %d times", n)
			}
		})
	}
}

func TestAsk_ErrorInStream_ReturnsMatchingReason(t *testing.T) {
	t.Parallel()
	forms := map[string]string{
		"at the top":                 `{"type":"error","code":%q,"message":"oh: %s","param":null,"sequence_number":3}`,
		"one level down":             `{"type":"error","error":{"type":"some_error","code":%q,"message":"oh: %s","param":null},"sequence_number":3}`,
		"in the response that fails": `{"type":"response.failed","response":{"status":"failed","error":{"code":%q,"message":"oh: %s"}},"sequence_number":3}`,
	}
	for code, reason := range map[string]llm.Reason{
		"rate_limit_exceeded": llm.RateLimited, "server_error": llm.ServerError, "server_is_overloaded": llm.Overloaded, "overloaded": llm.Overloaded,
		"slow_down": llm.Overloaded, "insufficient_quota": llm.NoQuota, "context_length_exceeded": llm.TooLong, "invalid_prompt": llm.Refused,
		"vector_store_timeout": llm.ServerError, "model_not_found": llm.NoModel, "invalid_api_key": llm.Unauthorized, "bio_policy": llm.Refused,
	} {
		for name, form := range forms {
			t.Run(code+" "+name, func(t *testing.T) {
				t.Parallel()
				var h collected
				reply, err := serving(t, saying(words("he"), fmt.Sprintf(form, code, code), completed)).Generate(t.Context(), prompt("hello"), h.emit)
				failed(t, err, reason, 0, "oh: "+code)
				if h.text != "he" || reply.Finish != "" {
					t.Errorf("heard %+v, reply %+v", h, reply)
				}
			})
		}
	}
}

func TestAsk_ErrorInStreamVariants_AreDecoded(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]struct {
		reason llm.Reason
		status int
		words  string
	}{
		`{"type":"error","error":{"type":"service_unavailable_error","code":null,"message":"busy"}}`:                         {llm.Overloaded, 0, "busy"},
		`{"type":"error","error":{"message":"busy","code":503}}`:                                                             {llm.Overloaded, 503, "busy"},
		`{"type":"error","error":{"message":"busy","code":"529"}}`:                                                           {llm.Overloaded, 529, "busy"},
		`{"type":"error","error":"bad"}`:                                                                                     {llm.Refused, 0, "bad"},
		`{"type":"error","code":null,"message":"maximum context length is 3"}`:                                               {llm.TooLong, 0, "context length"},
		`{"type":"error","code":"server_error"}`:                                                                             {llm.ServerError, 0, "server_error"},
		`{"type":"response.failed","response":{"status":"failed","error":null}}`:                                             {llm.ServerError, 0, "gave no reason"},
		`{"type":"error","error":{"type":"invalid_request_error","code":"string_above_max_length","message":"call_id too"}}`: {llm.Refused, 0, "call_id too"},
	} {
		_, err := serving(t, saying(event)).Generate(t.Context(), prompt("hello"), ignore)
		failed(t, err, want.reason, want.status, want.words)
	}
	_, err := serving(t, saying(`this is no JSON`)).Generate(t.Context(), prompt("hello"), ignore)
	failed(t, err, "", 0, "invalid character")
}

func TestAsk_DelayInErrorMessage_IsParsed(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]time.Duration{
		"Please try again in 6.57s. Visit": 6570 * time.Millisecond, "try again in 20ms.": 20 * time.Millisecond,
		"try again in 3 s": 3 * time.Second, "try again in a while": 0, "try again in 1.2.3s": 0, "": 0,
	} {
		event := fmt.Sprintf(`{"type":"error","error":{"code":"rate_limit_exceeded","message":%q}}`, words)
		_, err := serving(t, saying(event)).Generate(t.Context(), prompt("hello"), ignore)
		var f *llm.Failure
		if !errors.As(err, &f) || f.Reason != llm.RateLimited || f.After != want {
			t.Errorf("%q: %v", words, err)
		}
	}
}

func TestAsk_ServerUnreachable_ReturnsRetryableFailure(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	p := responses.New(responses.Config{BaseURL: closed.URL})
	_, err := p.Generate(t.Context(), prompt("hello"), ignore)
	failed(t, err, llm.Unreachable, 0, "")
	_, err = p.Models(t.Context())
	failed(t, err, llm.Unreachable, 0, "")
}

func TestAsk_ResponseIsNotAStream_ReturnsPermanentError(t *testing.T) {
	t.Parallel()
	for kind, body := range map[string]string{
		"text/html; charset=utf-8": "<p>log in first</p>", "application/json": `{"error":{"message":"log in first"}}`,
	} {
		p := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		})
		_, err := p.Generate(t.Context(), prompt("hello"), ignore)
		failed(t, err, "", 0, "log in first")
	}
}

func TestAsk_ContextAlreadyEnded_ReturnsCauseWithoutRequest(t *testing.T) {
	t.Parallel()
	p, server := fake(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStopped)
	if _, err := p.Generate(ctx, prompt("hello"), ignore); !same(err, errStopped) {
		t.Errorf("error %v", err)
	}
	if _, err := p.Models(ctx); !same(err, errStopped) {
		t.Errorf("error %v", err)
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
