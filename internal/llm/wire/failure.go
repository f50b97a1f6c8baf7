package wire

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
)

// ErrCutOff is wrapped by the error of an answer that ended before it was
// complete, for whatever cause. That error is an *llm.Failure with the reason
// llm.CutOff.
var ErrCutOff = errors.New("the answer was cut off")

// Accepted is a Middleware that converts connection errors and error responses
// to Bellcord's errors. The SDKs would drop the server's message, and their
// errors for bodies that are not JSON lack the status.
func Accepted(req *http.Request, next Next) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return nil, unreached(err)
	}
	if res.StatusCode < http.StatusBadRequest {
		return res, nil
	}
	words := readWords(res)
	return nil, &llm.Failure{
		Reason: reason(res.StatusCode, words), Status: res.StatusCode,
		After: retryAfter(res.Header), Err: errors.New(words),
	}
}

// Cut returns the failure of an answer that ended early. err is nil if the
// stream ended without an error.
func Cut(err error) *llm.Failure {
	if err == nil {
		err = ErrCutOff
	}
	return &llm.Failure{Reason: llm.CutOff, Err: err}
}

// unreached returns the error of a request that got no response. It is a
// retryable failure, unless the server's certificate is not trusted or the
// server does not use TLS.
func unreached(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	if errors.As(err, &certificate) || errors.As(err, &record) {
		return err
	}
	return &llm.Failure{Reason: llm.Unreachable, Err: err}
}

// reason maps a status to a reason. For some statuses the server's message
// decides.
func reason(status int, words string) llm.Reason {
	words = strings.ToLower(words)
	contains := func(any ...string) bool {
		return slices.ContainsFunc(any, func(part string) bool { return strings.Contains(words, part) })
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return llm.Unauthorized
	case http.StatusPaymentRequired:
		return llm.NoQuota
	case http.StatusNotFound:
		return llm.NoModel
	case http.StatusRequestEntityTooLarge:
		return llm.TooLong
	case http.StatusTooManyRequests:
		if contains("insufficient_quota", "exceeded your current quota") {
			return llm.NoQuota
		}
		return llm.RateLimited
	case http.StatusServiceUnavailable, statusOverloaded:
		return llm.Overloaded
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return llm.ServerError
	}
	switch {
	case status >= http.StatusInternalServerError:
		return llm.ServerError
	case contains("credit balance is too low"): // Anthropic, with status 400
		return llm.NoQuota
	case contains("context length", "context_length", "context window", "prompt is too long", "too many tokens", "exceeds the maximum number of tokens"):
		return llm.TooLong
	}
	return llm.Refused
}

// statusOverloaded is Anthropic's status for an overloaded model.
const statusOverloaded = 529

// DecodeStreamFailure returns the error for an error event in a stream. Some servers
// put the status that a response would have had into its code.
func DecodeStreamFailure(data []byte) error {
	var event struct {
		Error struct {
			Code json.RawMessage `json:"code"` // a number, a string or null
		} `json:"error"`
	}
	_ = json.Unmarshal(data, &event) // without a code the error is not retryable
	words := errors.New(Words(data))
	code, _ := strconv.Atoi(strings.Trim(string(event.Error.Code), `"`)) // 0 if it is not a number
	return StreamFailure(code, words)
}

// StreamFailure returns the failure for an error that the server reported in its stream.
// status is the one that a response would have had, or 0 if it cannot be
// determined.
func StreamFailure(status int, words error) *llm.Failure {
	return &llm.Failure{Reason: reason(status, words.Error()), Status: status, Err: words}
}

// readWords returns the message of an error response and closes its body.
func readWords(res *http.Response) string {
	const most = 64 << 10
	body, err := io.ReadAll(io.LimitReader(res.Body, most))
	_ = res.Body.Close()
	if words := Words(body); words != "" {
		return words
	}
	if err != nil {
		return err.Error()
	}
	return http.StatusText(res.StatusCode)
}

// Words returns the error message in body. It supports the JSON forms used by
// model servers, and otherwise returns the beginning of the body.
func Words(body []byte) string {
	var form struct {
		Error   json.RawMessage `json:"error"`
		Message any             `json:"message"`
		Detail  any             `json:"detail"`
	}
	if json.Unmarshal(body, &form) == nil {
		var inner struct {
			Message string `json:"message"`
		}
		var plain string
		switch {
		case json.Unmarshal(form.Error, &inner) == nil && inner.Message != "":
			return inner.Message
		case json.Unmarshal(form.Error, &plain) == nil && plain != "":
			return plain
		}
		for _, field := range []any{form.Message, form.Detail} {
			if text, ok := field.(string); ok && text != "" {
				return text
			}
		}
	}
	const most = 300
	words := strings.Join(strings.Fields(string(body)), " ")
	if len(words) > most {
		words = strings.ToValidUTF8(words[:most], "") + " …"
	}
	return words
}

// retryAfter returns the delay that the server requests, or 0 if it requests
// none.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return inUnits(ms, time.Millisecond)
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		return inUnits(s, time.Second)
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

func inUnits(n float64, unit time.Duration) time.Duration {
	if !(n > 0) { // NaN, or in the past
		return 0
	}
	return time.Duration(min(n*float64(unit), math.MaxInt64/2))
}
