package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/front/slash"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// problem is an error response (RFC 9457).
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
	if p.Status == http.StatusServiceUnavailable {
		h.Set("Connection", "close") // frees the connection
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="bellcord"`)
	}
	return h
}

// errScope means that the caller lacks a scope.
type errScope struct{ scope bellcord.Scope }

func (e errScope) Error() string {
	if e.scope == bellcord.ScopeAdmin {
		return "this request requires the admin scope" + howAdmin
	}
	return fmt.Sprintf("this request requires the %s scope", e.scope)
}

// howAdmin explains how to get the admin scope.
const howAdmin = ": use a token that has it, or in a browser log in with bellcord open --admin"

// errCeiling means that only an admin may choose this mode or agent.
type errCeiling struct{ error }

func (e errCeiling) Error() string { return e.error.Error() + howAdmin }

// errInput means that the request is invalid.
type errInput struct{ what string }

func (e errInput) Error() string { return e.what }

func badInput(format string, args ...any) error { return errInput{fmt.Sprintf(format, args...)} }

// failure is an api.Failure that a client cannot recognize.
type failure struct {
	err    error
	status int
	word   string
}

// known returns the error response for an error that has an entry, or nil.
func known(err error) *problem {
	for _, f := range api.Failures() {
		if errors.Is(err, f.Err) {
			return newProblem(f.Status, f.Type, f.Err)
		}
	}
	for _, f := range failures {
		if errors.Is(err, f.err) {
			return newProblem(f.status, f.word, f.err)
		}
	}
	return nil
}

// failures maps the errors of this package and of its parts to responses.
var failures = []failure{
	{errNoOption, http.StatusNotFound, "option-not-found"},
	{errAgentIdle, http.StatusConflict, "agent-not-running"},
	{errFixedAgent, http.StatusConflict, "agent-fixed"},
	{serverstore.ErrNoShare, http.StatusNotFound, "share-not-found"},
	{errShareOwner, http.StatusConflict, "not-the-owner"},
	{errShareSize, http.StatusRequestEntityTooLarge, "too-large"},
	{errNoShares, http.StatusNotImplemented, "no-shares"},
	{serverstore.ErrNoSubscription, http.StatusNotFound, "subscription-not-found"},
	{errNoPush, http.StatusNotImplemented, "no-push"},
	{errPushToken, http.StatusConflict, "not-logged-in"},
	{errNoDir, http.StatusNotFound, "dir-not-found"},
	{errClosing, http.StatusServiceUnavailable, "shutting-down"},
	{errKeyUsed, http.StatusUnprocessableEntity, "idempotency-key-reused"},
	{auth.ErrNoCredentials, http.StatusUnauthorized, "no-credentials"},
	{auth.ErrInAddress, http.StatusUnauthorized, "token-in-url"},
	{auth.ErrNoPage, http.StatusUnauthorized, "page-secret-needed"},
	{auth.ErrOldSignature, http.StatusUnauthorized, "page-signature-old"},
	{auth.ErrPageKey, http.StatusUnprocessableEntity, "bad-input"},
	{auth.ErrBadCredentials, http.StatusUnauthorized, "bad-credentials"},
	{auth.ErrNotLoggedIn, http.StatusConflict, "not-logged-in"},
	{auth.ErrUnavailable, http.StatusServiceUnavailable, "issuer-unavailable"},
	{errNowhere, http.StatusNotFound, "nothing-here"},
	{errHost, http.StatusMisdirectedRequest, "unknown-host"},
	{errOrigin, http.StatusForbidden, "foreign-origin"},
	{errNotJSON, http.StatusUnsupportedMediaType, "not-json"},
	{errViewers, http.StatusServiceUnavailable, "overloaded"},
	{errOwnersViewers, http.StatusTooManyRequests, "too-many"},
	{errOverloaded, http.StatusServiceUnavailable, "overloaded"},
	{errTooLarge, http.StatusRequestEntityTooLarge, "too-large"},
	{errLongMessage, http.StatusRequestEntityTooLarge, "too-large"},
	{errTooSlow, http.StatusRequestTimeout, "too-slow"},
}

// asProblem returns the error response for err. An error without an entry
// becomes a status 500 without its text.
func asProblem(err error) *problem {
	var (
		already *problem
		tooMany *auth.TooManyError
		scope   errScope
		input   errInput
		command *slash.CommandError
		unknown *slash.UnknownError
		peer    errPeer
		token   errToken
		ceiling errCeiling
		reply   *bellcord.InvalidReplyError
		agent   errAgent
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
	case errors.As(err, &command):
		return newProblem(http.StatusUnprocessableEntity, "is-a-command", err)
	case errors.As(err, &unknown):
		return newProblem(http.StatusUnprocessableEntity, "unknown-command", err)
	case errors.As(err, &ceiling):
		return newProblem(http.StatusForbidden, "scope", ceiling)
	case errors.Is(err, bellcord.ErrAnswerScope):
		return newProblem(http.StatusForbidden, "scope", errCeiling{bellcord.ErrAnswerScope})
	case errors.As(err, &peer):
		return newProblem(http.StatusForbidden, "turn-process", err)
	case errors.As(err, &token):
		return newProblem(http.StatusForbidden, "token-needed", err)
	case errors.As(err, &reply):
		return newProblem(http.StatusUnprocessableEntity, "answer-invalid", err)
	case errors.As(err, &agent):
		return newProblem(http.StatusBadGateway, "agent-refused", err)
	case errors.As(err, &input):
		return newProblem(http.StatusUnprocessableEntity, "bad-input", err)
	}
	if p := known(err); p != nil {
		if errors.Is(err, auth.ErrBadCredentials) || errors.Is(err, errHost) {
			p.Detail = clip(err.Error(), mostDetail) // safe: the text contains only what the sender may see
		}
		if p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests {
			p.retryAfter = time.Second
		}
		return p
	}
	return newProblem(http.StatusInternalServerError, "", errors.New("internal error; see the server's log"))
}

func newProblem(status int, word string, err error) *problem {
	p := &problem{ErrorModel: huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: clip(err.Error(), mostDetail)}}
	if word != "" {
		p.Type = api.TypePrefix + word
	}
	return p
}

// problemWriter writes errors as responses.
type problemWriter struct {
	hide   func(string) string
	logger *slog.Logger
}

// problem returns the error response for err, without secrets.
func (w problemWriter) problem(err error) *problem {
	p := asProblem(err)
	p.Detail = w.hide(p.Detail)
	return p
}

// fail is problem, and logs errors with status 500.
func (w problemWriter) fail(err error) *problem {
	p := w.problem(err)
	if p.Status == http.StatusInternalServerError {
		w.logger.Error("http request failed", "err", err)
	}
	return p
}

// writeProblem writes an error response. The request body may still be unread.
func (w problemWriter) writeProblem(to http.ResponseWriter, r *http.Request, err error) {
	p := w.problem(err)
	if r.ContentLength != 0 {
		to.Header().Set("Connection", "close") // otherwise net/http would read the body before it responds
	}
	for name, values := range p.GetHeaders() {
		to.Header()[name] = values
	}
	to.Header().Set("Content-Type", "application/problem+json")
	to.WriteHeader(p.Status)
	_ = json.NewEncoder(to).Encode(p.ErrorModel) // the client may have disconnected
}

// Refuse writes an error response and logs errors of the server.
func (w problemWriter) Refuse(to http.ResponseWriter, r *http.Request, err error) {
	w.writeProblem(to, r, w.fail(err))
}

// Problem returns the status, the text and the JSON of the response for an
// error. It logs errors of the server.
func (w problemWriter) Problem(err error) (status int, text string, body json.RawMessage) {
	p := w.problem(err)
	if p.Status == http.StatusInternalServerError {
		w.logger.Error("request failed", "err", err)
	}
	body, encodeErr := json.Marshal(p.ErrorModel)
	if encodeErr != nil {
		body = nil
	}
	return p.Status, p.Detail, body
}
