package anthropic_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
)

func notPassing(t *testing.T, err error, words string) {
	t.Helper()
	var passing *llm.Failure
	if err == nil || errors.As(err, &passing) && passing.Retryable() || !strings.Contains(err.Error(), words) {
		t.Errorf("error %v, want one that does not pass and says %q", err, words)
	}
}

func TestAsk_ErrorStatus_ReturnsMatchingReason(t *testing.T) {
	t.Parallel()
	for status, reason := range map[int]llm.Reason{
		400: llm.Refused, 401: llm.Unauthorized, 402: llm.NoQuota, 403: llm.Unauthorized, 404: llm.NoModel, 413: llm.TooLong,
		429: llm.RateLimited, 500: llm.ServerError, 504: llm.ServerError, 529: llm.Overloaded,
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			p, server := fake(t, anthropic.Config{})
			_, err := p.Generate(t.Context(), prompt("[status "+strconv.Itoa(status)+" retry 7]"), ignore)
			var f *llm.Failure
			if !errors.As(err, &f) || f.Reason != reason || f.Status != status || f.After != 7*time.Second || !strings.Contains(f.Error(), "the script asked") {
				t.Errorf("error %#v, want %q", err, reason)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("the provider asked %d times", n)
			}
		})
	}
}

func TestAsk_ErrorInStream_ReturnsMatchingReason(t *testing.T) {
	t.Parallel()
	for kind, reason := range map[string]llm.Reason{
		"invalid_request_error": llm.Refused, "authentication_error": llm.Unauthorized, "billing_error": llm.NoQuota,
		"permission_error": llm.Unauthorized, "not_found_error": llm.NoModel, "request_too_large": llm.TooLong,
		"rate_limit_error": llm.RateLimited, "api_error": llm.ServerError, "timeout_error": llm.ServerError,
		"overloaded_error": llm.Overloaded, "some_new_error": llm.ServerError,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var h collected
			reply, err := serving(t, saying(begun(3), block(0, text), words(0, "he"),
				`{"type":"error","error":{"type":"`+kind+`","message":"so \"it\" goes"}}`)).Generate(t.Context(), prompt("hello"), h.emit)
			var f *llm.Failure
			if !errors.As(err, &f) || f.Reason != reason || !strings.Contains(f.Error(), `so "it" goes`) {
				t.Errorf("error %v, want %q", err, reason)
			}
			if h.text != "he" || reply.Finish != "" {
				t.Errorf("heard %+v, reply %+v", h, reply)
			}
		})
	}
}

func TestAsk_NonJSONErrorInStream_ReturnsServerError(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: error\ndata: upstream gone\n\n")
	})
	_, err := p.Generate(t.Context(), prompt("hello"), ignore)
	var f *llm.Failure
	if !errors.As(err, &f) || f.Reason != llm.ServerError || !strings.Contains(f.Error(), "upstream gone") {
		t.Errorf("error %v", err)
	}
}

func TestAsk_MalformedEvent_ReturnsPermanentError(t *testing.T) {
	t.Parallel()
	_, err := serving(t, saying(begun(3), `{"type":`)).Generate(t.Context(), prompt("hello"), ignore)
	notPassing(t, err, "JSON")
}

func TestAsk_PromptTooLong_ReturnsTooLong(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200001 tokens > 200000 maximum"}}`)
	})
	_, err := p.Generate(t.Context(), prompt("hello"), ignore)
	var f *llm.Failure
	if !errors.As(err, &f) || f.Reason != llm.TooLong {
		t.Errorf("error %v", err)
	}
}

func TestAsk_ServerUnreachable_ReturnsRetryableFailure(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	p := anthropic.New(anthropic.Config{BaseURL: closed.URL})
	_, generated := p.Generate(t.Context(), prompt("hello"), ignore)
	_, listed := p.Models(t.Context())
	for _, err := range []error{generated, listed} {
		var f *llm.Failure
		if !errors.As(err, &f) || f.Reason != llm.Unreachable {
			t.Errorf("error %v", err)
		}
	}
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
		notPassing(t, err, "log in first")
	}
}

func TestAsk_ContextAlreadyEnded_ReturnsCauseWithoutRequest(t *testing.T) {
	t.Parallel()
	p, server := fake(t, anthropic.Config{})
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
