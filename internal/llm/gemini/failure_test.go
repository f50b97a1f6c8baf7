package gemini_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/gemini"
	"github.com/bellcord/bellcord/internal/testkit/llmtest"
)

func notPassing(t *testing.T, err error, words string) {
	t.Helper()
	var passing *llm.Failure
	if err == nil || errors.As(err, &passing) && passing.Retryable() || !strings.Contains(err.Error(), words) {
		t.Errorf("error %v, want one that does not pass and says %q", err, words)
	}
}

func passing(t *testing.T, err error, status int) *llm.Failure {
	t.Helper()
	var u *llm.Failure
	if !errors.As(err, &u) || !u.Retryable() || u.Status != status {
		t.Fatalf("error %v, want one that may pass, with status %d", err, status)
	}
	return u
}

func TestAsk_ErrorStatus_IsRetryableOnlyWhenTransient(t *testing.T) {
	t.Parallel()
	for status, passes := range map[int]bool{
		400: false, 401: false, 403: false, 404: false, 413: false, 422: false,
		408: true, 409: true, 425: true, 429: true, 500: true, 502: true, 503: true, 504: true, 529: true,
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			p, server := fake(t)
			_, err := p.Generate(t.Context(), prompt("[status "+strconv.Itoa(status)+" retry 7]"), ignore)
			if !passes {
				notPassing(t, err, "the script asked for this error")
			} else if u := passing(t, err, status); u.After != 7*time.Second || !strings.Contains(u.Error(), "the script asked") {
				t.Errorf("after %v: %v", u.After, u)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("the provider asked %d times", n)
			}
		})
	}
}

func TestAsk_ErrorBodyVariants_ReturnServerMessage(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":{"message":"too long","code":null}}`: "too long",
		`{"error":"no such model"}`:                    "no such model",
		`{"message":"bad"}`:                            "bad",
		`{"detail":"missing"}`:                         "missing",
		`{"detail":[{"loc":["body"]}]}`:                `[{"loc":["body"]}]`,
		"<html>\n  <b>gone</b></html>":                 "<html> <b>gone</b></html>",
		"":                                             "Bad Request",
		strings.Repeat("é", 1000):                      "é …",
	} {
		p := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, body)
		})
		_, err := p.Generate(t.Context(), prompt("hello"), ignore)
		notPassing(t, err, want)
		_, err = p.Models(t.Context())
		notPassing(t, err, want)
	}
}

func TestAsk_RetryAfterVariants_AreParsed(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"": 0, "Retry-After: 2": 2 * time.Second, "Retry-After: 1.5": 1500 * time.Millisecond, "retry-after-ms: 20": 20 * time.Millisecond,
		"Retry-After: Sat, 01 Jan 2000 00:00:30 GMT": 30 * time.Second, "Retry-After: Sat, 01 Jan 1999 00:00:30 GMT": 0,
		"Retry-After: soon": 0, "Retry-After: -1": 0, "Retry-After: NaN": 0, "Retry-After: 1e300": 1<<62 - 1,
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // its clock starts at midnight on 1 January 2000
				p := gemini.New(gemini.Config{BaseURL: "http://fake", HTTP: llmtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
					if name, value, given := strings.Cut(header, ": "); given {
						w.Header().Set(name, value)
					}
					w.WriteHeader(http.StatusTooManyRequests)
				})})
				_, err := p.Generate(t.Context(), prompt("hello"), ignore)
				if u := passing(t, err, 429); (u.After - want).Abs() > 1 {
					t.Errorf("after %v, want %v", u.After, want)
				}
			})
		})
	}
}

func TestAsk_ServerUnreachable_ReturnsRetryableFailure(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	p := gemini.New(gemini.Config{BaseURL: closed.URL})
	_, err := p.Generate(t.Context(), prompt("hello"), ignore)
	passing(t, err, 0)
	_, err = p.Models(t.Context())
	passing(t, err, 0)
}

func TestAsk_ConnectionLostBeforeResponse_ReturnsRetryableFailure(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*net.TCPConn){
		"closed": func(*net.TCPConn) {},
		"reset":  func(c *net.TCPConn) { _ = c.SetLinger(0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := serving(t, func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					leave(conn.(*net.TCPConn))
					_ = conn.Close()
				}
			})
			_, err := p.Generate(t.Context(), prompt("hello"), ignore)
			passing(t, err, 0)
		})
	}
}

func TestAsk_UntrustedCertificate_ReturnsPermanentError(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(nil)
	server.Config.ErrorLog = llmtest.Quiet()
	server.StartTLS()
	defer server.Close()
	_, err := gemini.New(gemini.Config{BaseURL: server.URL}).Generate(t.Context(), prompt("hello"), ignore)
	notPassing(t, err, "certificate")
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

func TestAsk_ErrorInStream_ReturnsIt(t *testing.T) {
	t.Parallel()
	ask := func(event string) error {
		_, err := serving(t, saying(parts(`{"text":"he"}`), event)).Generate(t.Context(), prompt("hello"), ignore)
		return err
	}
	notPassing(t, ask(`{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (5).","status":"INVALID_ARGUMENT"}}`), "too long")
	notPassing(t, ask(`{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}`), "bad")
	if u := passing(t, ask(`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), 503); u.Reason != llm.Overloaded {
		t.Errorf("reason %s", u.Reason)
	}
	limited := ask(`{"error":{"code":429,"message":"slow down","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}`)
	if u := passing(t, limited, 429); u.Reason != llm.RateLimited || u.After != 7*time.Second {
		t.Errorf("reason %s after %v", u.Reason, u.After)
	}
	notPassing(t, ask(`this is no JSON`), "invalid character")
}

func TestAsk_PlainJSONErrorBetweenEvents_ReturnsIt(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, r *http.Request) {
		saying(parts(`{"text":"he"}`))(w, r)
		_, _ = io.WriteString(w, "{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"overloaded\",\n    \"status\": \"UNAVAILABLE\"\n  }\n}\n")
	})
	_, err := p.Generate(t.Context(), prompt("hello"), ignore)
	passing(t, err, 503)
}

func TestAsk_ErrorDetails_DetermineReasonAndDelay(t *testing.T) {
	t.Parallel()
	const retry = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7.5s"}`
	quota := func(id string) string {
		return `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"` + id + `"}]}`
	}
	const exceeded = "You exceeded your current quota, please check your plan and billing details."
	for name, c := range map[string]struct {
		status  int
		message string
		details string
		header  string
		reason  llm.Reason
		after   time.Duration
	}{
		"a limit for the minute":        {429, exceeded, quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier") + "," + retry, "", llm.RateLimited, 7500 * time.Millisecond},
		"a limit for the day":           {429, exceeded, quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier") + "," + retry, "", llm.NoQuota, 7500 * time.Millisecond},
		"a limit that nothing is known": {429, exceeded, "", "", llm.NoQuota, 0},
		"a limit in other words":        {429, "Resource has been exhausted (e.g. check quota).", "", "", llm.RateLimited, 0},
		"a header and a detail":         {429, "slow down", retry, "2", llm.RateLimited, 2 * time.Second},
		"a delay that is none":          {429, "slow down", `{"retryDelay":"soon"}`, "", llm.RateLimited, 0},
		"a model that is overloaded":    {503, "The model is overloaded. Please try again later.", "", "", llm.Overloaded, 0},
		"a wrong key":                   {400, "API key not valid. Please pass a valid API key.", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}`, "", llm.Unauthorized, 0},
		"too long a conversation":       {400, "The input token count (9) exceeds the maximum number of tokens allowed (5).", "", "", llm.TooLong, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, form := range []string{`%s`, `[%s]`} {
				body := fmt.Sprintf(`{"error":{"code":%d,"message":%q,"details":[%s]}}`, c.status, c.message, c.details)
				p := serving(t, func(w http.ResponseWriter, _ *http.Request) {
					if c.header != "" {
						w.Header().Set("Retry-After", c.header)
					}
					w.WriteHeader(c.status)
					_, _ = fmt.Fprintf(w, form, body)
				})
				_, err := p.Generate(t.Context(), prompt("hello"), ignore)
				var failure *llm.Failure
				if !errors.As(err, &failure) || failure.Reason != c.reason || failure.After != c.after || failure.Status != c.status {
					t.Errorf("error %v, %+v", err, failure)
				}
			}
		})
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
