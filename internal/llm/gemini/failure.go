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

// explained is wire.Accepted for servers that say in an error's details what
// others say with a status or a header.
func explained(req *http.Request, next wire.Next) (*http.Response, error) {
	var said problem
	res, err := wire.Accepted(req, func(r *http.Request) (*http.Response, error) {
		res, err := next(r)
		if err != nil || res.StatusCode < http.StatusBadRequest {
			return res, err
		}
		said = readProblem(res)
		return res, nil
	})
	var failure *llm.Failure
	if errors.As(err, &failure) {
		said.refine(failure)
	}
	return res, err
}

// problem is the part of an error that reasons are found in.
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

// readProblem reads an error's body and puts it back.
func readProblem(res *http.Response) problem {
	const most = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(res.Body, most)) // what has come will do
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	var p problem
	if json.Unmarshal(body, &p) != nil {
		var several []problem // some of Google's servers put it in a list
		if json.Unmarshal(body, &several) == nil && len(several) > 0 {
			p = several[0]
		}
	}
	return p
}

// refine corrects what a status and the words alone make one believe: a wrong
// key is told as a bad request, and a limit for the minute in the same words as
// one for the day, which waiting a moment does not help against.
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

// toldInStream is the failure for an error that came instead of a chunk.
func toldInStream(event []byte) error {
	err := wire.ToldInStream(event)
	var failure *llm.Failure
	var said problem
	if errors.As(err, &failure) && json.Unmarshal(event, &said) == nil {
		said.refine(failure)
	}
	return err
}
