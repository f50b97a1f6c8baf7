package client

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/api"
)

// Problem is an error response of the server (RFC 9457).
type Problem struct {
	Type   string   `json:"type,omitempty"`
	Title  string   `json:"title,omitempty"`
	Status int      `json:"status"`
	Detail string   `json:"detail,omitempty"`
	Errors []Defect `json:"errors,omitempty"`
}

// Defect is one invalid part of a request.
type Defect struct {
	Message  string `json:"message"`
	Location string `json:"location,omitempty"`
}

// Is reports whether the server's error is target, for errors.Is: bellcord.ErrNoTurn
// for example. See api.Failures.
func (p *Problem) Is(target error) bool {
	return slices.ContainsFunc(api.Failures(), func(f api.Failure) bool {
		return f.Err == target && p.Type == api.TypePrefix+f.Type
	})
}

// Error returns the detail of the problem, and the defects of the request if
// the server reports them.
func (p *Problem) Error() string {
	text := p.Detail
	if text == "" {
		text = p.Title
	}
	if text == "" {
		text = fmt.Sprintf("the server answered %d %s", p.Status, http.StatusText(p.Status))
	}
	for _, d := range p.Errors {
		text += "; " + strings.TrimSpace(d.Location+" "+d.Message)
	}
	return text
}

// mostWords is the maximum number of bytes that are read of an error response.
const mostWords = 64 << 10

// refusal returns the problem in a response without a success status.
func refusal(res *http.Response) *Problem {
	p := &Problem{}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	words, err := io.ReadAll(io.LimitReader(res.Body, mostWords))
	if kind != "application/problem+json" || err != nil || json.Unmarshal(words, p) != nil {
		*p = Problem{} // not from the server but from something in between, such as a proxy
	}
	p.Status = res.StatusCode
	if to := res.Header.Get("Location"); p.Detail == "" && res.StatusCode/100 == 3 {
		p.Detail = fmt.Sprintf("the server redirects to %q, and redirects are not followed; use that address if you trust it", to)
	}
	return p
}
