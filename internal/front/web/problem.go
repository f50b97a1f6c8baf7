package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
)

// problem is an answer that is none (RFC 9457).
type problem struct {
	huma.ErrorModel
	retryAfter time.Duration
}

// GetHeaders implements huma.HeadersError.
func (p *problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="bellcord"`)
	}
	return h
}

// errScope means that the caller may not.
type errScope struct{ scope auth.Scope }

func (e errScope) Error() string { return fmt.Sprintf("this needs the scope %s", e.scope) }

// errInput means that the request itself is wrong.
type errInput struct{ what string }

func (e errInput) Error() string { return e.what }

func badInput(format string, args ...any) error { return errInput{fmt.Sprintf(format, args...)} }

// problems says which status and which word stand for which of our errors.
var problems = []struct {
	err    error
	status int
	word   string
}{
	{bellcord.ErrNoSession, http.StatusNotFound, "no-session"},
	{bellcord.ErrNoTurn, http.StatusNotFound, "no-turn"},
	{bellcord.ErrNoQuestion, http.StatusNotFound, "no-question"},
	{bellcord.ErrTurnEnded, http.StatusConflict, "turn-ended"},
	{bellcord.ErrStarted, http.StatusConflict, "turn-started"},
	{bellcord.ErrBusy, http.StatusConflict, "busy"},
	{bellcord.ErrTurnExists, http.StatusConflict, "turn-exists"},
	{bellcord.ErrDraining, http.StatusServiceUnavailable, "shutting-down"},
	{bellcord.ErrClosed, http.StatusServiceUnavailable, "shutting-down"},
	{errClosing, http.StatusServiceUnavailable, "shutting-down"},
	{errStore, http.StatusServiceUnavailable, "store-down"},
	{bellcord.ErrUnknown, http.StatusGatewayTimeout, "outcome-unknown"},
	{errKeyUsed, http.StatusUnprocessableEntity, "key-used"},
	{auth.ErrNoCredentials, http.StatusUnauthorized, "no-credentials"},
	{auth.ErrInAddress, http.StatusUnauthorized, "token-in-address"},
	{auth.ErrBadCredentials, http.StatusUnauthorized, "bad-credentials"},
	{auth.ErrNotLoggedIn, http.StatusConflict, "not-logged-in"},
	{auth.ErrUnavailable, http.StatusServiceUnavailable, "issuer-unavailable"},
	{errNowhere, http.StatusNotFound, "nothing-here"},
	{errHost, http.StatusMisdirectedRequest, "unknown-host"},
	{errOrigin, http.StatusForbidden, "foreign-origin"},
	{errNotJSON, http.StatusUnsupportedMediaType, "not-json"},
	{errTooLarge, http.StatusRequestEntityTooLarge, "too-large"},
	{errTooSlow, http.StatusRequestTimeout, "too-slow"},
}

// asProblem answers the caller's question: what is wrong, and with whom.
func asProblem(err error) *problem {
	var (
		already *problem
		tooMany *auth.TooManyError
		scope   errScope
		input   errInput
	)
	switch {
	case errors.As(err, &already):
		return already
	case errors.As(err, &tooMany):
		p := newProblem(http.StatusTooManyRequests, "too-many", err)
		p.retryAfter = tooMany.RetryAfter
		return p
	case errors.As(err, &scope):
		return newProblem(http.StatusForbidden, "scope", err)
	case errors.As(err, &input):
		return newProblem(http.StatusUnprocessableEntity, "bad-input", err)
	}
	for _, known := range problems {
		if errors.Is(err, known.err) {
			p := newProblem(known.status, known.word, known.err)
			if errors.Is(err, auth.ErrBadCredentials) {
				p.Detail = err.Error() // it says no more than who shows them may know
			}
			if known.status == http.StatusServiceUnavailable {
				p.retryAfter = time.Second
			}
			return p
		}
	}
	return newProblem(http.StatusInternalServerError, "", errors.New("something went wrong here; the log has it"))
}

func newProblem(status int, word string, err error) *problem {
	p := &problem{ErrorModel: huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: err.Error()}}
	if word != "" {
		p.Type = "urn:bellcord:" + word
	}
	return p
}

// fail turns an error into what the caller is told, and logs the ones that
// nobody foresaw, once.
func (s *Server) fail(err error) error {
	if err == nil {
		return nil
	}
	p := asProblem(err)
	if p.Status == http.StatusInternalServerError {
		s.Logger.Error("http", "err", err)
	}
	return p
}

// writeProblem answers outside of an operation.
func writeProblem(w http.ResponseWriter, _ *http.Request, err error) {
	p := asProblem(err)
	for name, values := range p.GetHeaders() {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p.ErrorModel) // whoever asked may have gone
}
