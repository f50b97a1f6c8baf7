package fakegram

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// problem is an error response of the API.
type problem struct {
	code  int
	words string
	retry int // seconds to wait after a 429
}

func (p problem) Error() string { return p.words }

func bad(format string, args ...any) error {
	return problem{code: http.StatusBadRequest, words: "Bad Request: " + fmt.Sprintf(format, args...)}
}

func forbidden(words string) error {
	return problem{code: http.StatusForbidden, words: "Forbidden: " + words}
}

func conflict(words string) error {
	return problem{code: http.StatusConflict, words: "Conflict: " + words}
}

func tooMany(seconds int) error {
	return problem{
		code: http.StatusTooManyRequests, retry: seconds,
		words: fmt.Sprintf("Too Many Requests: retry after %d", seconds),
	}
}

// answerBody is the encoded form of a result or a problem.
type answerBody struct {
	OK          bool        `json:"ok"`
	Result      any         `json:"result,omitempty"`
	Code        int         `json:"error_code,omitempty"`
	Description string      `json:"description,omitempty"`
	Parameters  *parameters `json:"parameters,omitempty"`
}

type parameters struct {
	RetryAfter int `json:"retry_after"`
}

// encodeAnswer encodes a result or an error. If the result can change, the
// caller must hold the lock.
func encodeAnswer(result any, err error) (int, []byte) {
	status, body := http.StatusOK, answerBody{OK: true, Result: result}
	if err != nil {
		var p problem
		if !errors.As(err, &p) {
			p = problem{code: http.StatusInternalServerError, words: "Internal Server Error: " + err.Error()}
		}
		status, body = p.code, answerBody{Code: p.code, Description: p.words}
		if p.retry > 0 {
			body.Parameters = &parameters{RetryAfter: p.retry}
		}
	}
	return status, encode(body)
}

// encode encodes a value of this package, which cannot fail.
func encode(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}
