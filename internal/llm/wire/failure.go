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

// ErrCutOff is wrapped by the error for an answer that ended before it was
// complete, in whatever way. The error is an *llm.Failure for that reason.
var ErrCutOff = errors.New("the answer was cut off")

// Accepted turns everything but a response that was asked for into our errors.
// The SDK would hide the server's words, and its errors for bodies that are not
// JSON do not have the status.
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

// Cut is the failure of an answer that ended early; err may be nil, where the
// stream just ceased.
func Cut(err error) *llm.Failure {
	if err == nil {
		err = ErrCutOff
	}
	return &llm.Failure{Reason: llm.CutOff, Err: err}
}

// unreached is the error of a request without a response. All of these may pass
// but those about who the server is.
func unreached(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	if errors.As(err, &certificate) || errors.As(err, &record) {
		return err
	}
	return &llm.Failure{Reason: llm.Unreachable, Err: err}
}

// reason reads a status, and the words where the status alone does not tell.
func reason(status int, words string) llm.Reason {
	words = strings.ToLower(words)
	says := func(any ...string) bool {
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
		if says("insufficient_quota", "exceeded your current quota") {
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
	case says("credit balance is too low"): // Anthropic's, with status 400
		return llm.NoQuota
	case says("context length", "context_length", "context window", "prompt is too long", "too many tokens", "exceeds the maximum number of tokens"):
		return llm.TooLong
	}
	return llm.Refused
}

// statusOverloaded is Anthropic's own.
const statusOverloaded = 529

// ToldInStream is the error for one that the server reported in its stream. Some
// give it the code that would have been its status.
func ToldInStream(data []byte) error {
	var event struct {
		Error struct {
			Code json.RawMessage `json:"code"` // a number, a word or null
		} `json:"error"`
	}
	_ = json.Unmarshal(data, &event) // an error without a code does not pass
	words := errors.New(Words(data))
	code, _ := strconv.Atoi(strings.Trim(string(event.Error.Code), `"`)) // 0 where there is none
	return Told(code, words)
}

// Told is the failure for an error that the server reported in its stream, by
// the status that it would have had as a response; 0 where that is not known.
func Told(status int, words error) *llm.Failure {
	return &llm.Failure{Reason: reason(status, words.Error()), Status: status, Err: words}
}

// readWords reads and closes a response that is an error.
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

// Words finds the message in the forms that servers give it.
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

// retryAfter is how long the server asks us to wait, 0 if it does not say.
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
	if !(n > 0) { // not a number, or in the past
		return 0
	}
	return time.Duration(min(n*float64(unit), math.MaxInt64/2))
}
