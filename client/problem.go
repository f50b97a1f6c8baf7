package client

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// Problem is a server's refusal (RFC 9457).
type Problem struct {
	Type   string   `json:"type,omitempty"`
	Title  string   `json:"title,omitempty"`
	Status int      `json:"status"`
	Detail string   `json:"detail,omitempty"`
	Errors []Defect `json:"errors,omitempty"`
}

// Defect is one thing that is wrong with a request.
type Defect struct {
	Message  string `json:"message"`
	Location string `json:"location,omitempty"`
}

// Error is the server's own words: the detail, and what was wrong with the
// request where it says so.
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

// mostWords is how much of a refusal is read.
const mostWords = 64 << 10

// refusal reads what the server says about a status that is no success.
func refusal(res *http.Response) *Problem {
	p := &Problem{}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	words, err := io.ReadAll(io.LimitReader(res.Body, mostWords))
	if kind != "application/problem+json" || err != nil || json.Unmarshal(words, p) != nil {
		*p = Problem{} // something between us and the server speaks: a page of its own helps nobody
	}
	p.Status = res.StatusCode
	if to := res.Header.Get("Location"); p.Detail == "" && res.StatusCode/100 == 3 {
		p.Detail = fmt.Sprintf("the server redirects to %q, and redirects are not followed; use that address if you trust it", to)
	}
	return p
}
