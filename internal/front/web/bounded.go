package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/bellcord/bellcord/api"
	"github.com/danielgtaylor/huma/v2"
)

// Limits of an error response. Whatever is wrong with a request, the response
// is smaller than mostProblem, because it repeats no long part of the request.
const (
	mostProblem = 4 << 10
	mostDetail  = 500 // bytes of a message
	mostPlace   = 100 // bytes of a location in the request
	mostDetails = 20
)

// boundErrors makes huma create its errors with newError. The hook is a global
// variable of huma, so it is set once per process.
var boundErrors = sync.OnceFunc(func() { huma.NewError = newError })

// newError returns huma's error for a request that does not match its schema,
// limited in size and without the values of the request.
func newError(status int, message string, errs ...error) huma.StatusError {
	p := &huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: clip(message, mostDetail)}
	if status == http.StatusBadRequest || status == http.StatusUnprocessableEntity {
		p.Type = api.TypePrefix + "bad-input"
	}
	for _, err := range errs[:min(len(errs), mostDetails)] {
		if err == nil {
			continue
		}
		p.Errors = append(p.Errors, newDetail(err))
	}
	for size(p) >= mostProblem { // escaped characters take six times their size in JSON
		p.Errors = p.Errors[:len(p.Errors)/2]
	}
	return p
}

// newDetail returns one validation error. It does not use the text of huma's
// errors, which repeats the value.
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

// clip shortens a text to at most the given number of bytes, without splitting
// a character.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}
