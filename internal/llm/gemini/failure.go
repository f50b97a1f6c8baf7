package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// explained is wire.Accepted for servers that put into an error's details what
// others put into a status or a header.
func explained(req *http.Request, next wire.Next) (*http.Response, error) {
	var details problem
	res, err := wire.Accepted(req, func(r *http.Request) (*http.Response, error) {
		res, err := next(r)
		if err != nil || res.StatusCode < http.StatusBadRequest {
			return res, err
		}
		details = readProblem(res)
		return res, nil
	})
	var failure *llm.Failure
	if errors.As(err, &failure) {
		details.refine(failure)
	}
	return res, err
}

// problem is the part of an error response that the reason depends on.
type problem struct {
	Error struct {
		Details []detail `json:"details"`
	} `json:"error"`
}

type detail struct {
	Type       string `json:"@type"`
	RetryDelay string `json:"retryDelay"` // of a RetryInfo, such as 7.5s
	Reason     string `json:"reason"`     // of an ErrorInfo
	Violations []struct {
		QuotaID string `json:"quotaId"`
	} `json:"violations"` // of a QuotaFailure
}

// readProblem reads the body of an error response and replaces it by a copy.
func readProblem(res *http.Response) problem {
	const most = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(res.Body, most)) // the part received is sufficient
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	var p problem
	if json.Unmarshal(body, &p) != nil {
		var several []problem // some of Google's servers return a list
		if json.Unmarshal(body, &several) == nil && len(several) > 0 {
			p = several[0]
		}
	}
	return p
}

// refine corrects reasons that are misleading if only status and message are
// used. An invalid key is reported as a bad request. A limit per minute has the
// same message as a limit per day, which a short wait does not help against.
func (p problem) refine(f *llm.Failure) {
	perDay := false
	for _, d := range p.Error.Details {
		if d.Reason == "API_KEY_INVALID" {
			f.Reason = llm.Unauthorized
		}
		for _, v := range d.Violations {
			perDay = perDay || strings.Contains(v.QuotaID, "PerDay")
		}
	}
	for _, d := range p.Error.Details {
		wait, err := time.ParseDuration(d.RetryDelay)
		if err != nil {
			continue
		}
		if f.After == 0 {
			f.After = max(wait, 0)
		}
		if f.Reason == llm.NoQuota {
			f.Reason = llm.RateLimited
		}
	}
	if perDay && f.Status == http.StatusTooManyRequests {
		f.Reason = llm.NoQuota
	}
}

// streamFailure returns the failure for an error event in the stream.
func streamFailure(event []byte) error {
	err := wire.DecodeStreamFailure(event)
	var failure *llm.Failure
	var details problem
	if errors.As(err, &failure) && json.Unmarshal(event, &details) == nil {
		details.refine(failure)
	}
	return err
}
