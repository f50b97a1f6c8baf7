package openai

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"

	"github.com/bellcord/bellcord/internal/llm"
)

// ErrCutOff is wrapped by the error for an answer that ended without a finish
// reason, in whatever way. The error is an *llm.Unavailable with status 0.
var ErrCutOff = errors.New("the answer was cut off")

// accepted turns everything but a response that was asked for into our errors.
// The SDK would hide the server's words, and its errors for bodies that are not
// JSON do not have the status.
func accepted(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return nil, unreached(err)
	}
	if res.StatusCode < http.StatusBadRequest {
		return res, nil
	}
	words := readWords(res)
	if !passing(res.StatusCode) {
		return nil, fmt.Errorf("the model server refused the request (status %d): %s", res.StatusCode, words)
	}
	return nil, &llm.Unavailable{Status: res.StatusCode, After: retryAfter(res.Header), Err: errors.New(words)}
}

// unreached is the error of a request without a response. All of these may pass
// but those about who the server is.
func unreached(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	if errors.As(err, &certificate) || errors.As(err, &record) {
		return err
	}
	return &llm.Unavailable{Err: err}
}

func passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}

// toldInStream is the error for one that the server reported in its stream. Some
// give it the code that would have been its status.
func toldInStream(data []byte) error {
	var event struct {
		Error struct {
			Code json.RawMessage `json:"code"` // a number, a word or null
		} `json:"error"`
	}
	_ = json.Unmarshal(data, &event) // an error without a code does not pass
	words := errors.New(serverWords(data))
	if code, err := strconv.Atoi(strings.Trim(string(event.Error.Code), `"`)); err == nil && passing(code) {
		return &llm.Unavailable{Status: code, Err: words}
	}
	return fmt.Errorf("the model server reported an error in its answer: %w", words)
}

// readWords reads and closes a response that is an error.
func readWords(res *http.Response) string {
	const most = 64 << 10
	body, err := io.ReadAll(io.LimitReader(res.Body, most))
	_ = res.Body.Close()
	if words := serverWords(body); words != "" {
		return words
	}
	if err != nil {
		return err.Error()
	}
	return http.StatusText(res.StatusCode)
}

// serverWords finds the message in the forms that servers give it.
func serverWords(body []byte) string {
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
