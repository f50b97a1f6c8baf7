package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// Bounds of a problem. However a request is wrong, the answer to it is smaller
// than mostProblem, because nothing of the request is repeated at length.
const (
	mostProblem = 4 << 10
	mostDetail  = 500 // bytes of a sentence
	mostPlace   = 100 // bytes of where in the request
	mostDetails = 20
)

// boundErrors has huma make its errors with newError. It is a variable of huma's,
// so it is set once for the process.
var boundErrors = sync.OnceFunc(func() { huma.NewError = newError })

// newError is huma's error for a request that does not fit its schema: without
// the values that were sent, and bounded.
func newError(status int, message string, errs ...error) huma.StatusError {
	p := &huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: clip(message, mostDetail)}
	if status == http.StatusBadRequest || status == http.StatusUnprocessableEntity {
		p.Type = "urn:bellcord:bad-input"
	}
	for _, err := range errs[:min(len(errs), mostDetails)] {
		if err == nil {
			continue
		}
		p.Errors = append(p.Errors, newDetail(err))
	}
	for size(p) >= mostProblem { // marks that JSON escapes take six times their size
		p.Errors = p.Errors[:len(p.Errors)/2]
	}
	return p
}

// newDetail is one mistake. The text of huma's own errors repeats the value, so
// it is not used.
func newDetail(err error) *huma.ErrorDetail {
	if own, is := err.(huma.ErrorDetailer); is { //nolint:errorlint // huma does not wrap them
		from := own.ErrorDetail()
		return &huma.ErrorDetail{Message: clip(from.Message, mostDetail), Location: clip(from.Location, mostPlace)}
	}
	return &huma.ErrorDetail{Message: clip(err.Error(), mostDetail)}
}

func size(p *huma.ErrorModel) int {
	text, err := json.Marshal(p)
	if err != nil || len(p.Errors) == 0 {
		return 0
	}
	return len(text)
}

// clip shortens a text to at most the given bytes, of whole characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
