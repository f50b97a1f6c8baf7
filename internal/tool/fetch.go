package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool/web"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const fetchDescription = "Get a page over HTTP or HTTPS and return it as text. Tags, scripts and styles are removed from HTML; other text is returned unchanged. " +
	"Content that is not text is refused, as are addresses of this machine and of private networks. " +
	"At most max_bytes (default 1048576) of the page are read, and at most 262144 bytes of text are returned."

const fetchSchema = `{"type":"object","required":["url"],"additionalProperties":false,"properties":{` +
	`"url":{"type":"string"},"max_bytes":{"type":"integer","minimum":1,"maximum":4194304}}}`

const (
	defaultFetched = 1 << 20
	mostFetched    = 4 << 20
	mostFetchTime  = 30 * time.Second
)

// FetchOptions configures Fetch.
type FetchOptions struct {
	// AllowPrivate also allows loopback and private addresses. Link-local and
	// metadata addresses are always refused.
	AllowPrivate bool
	// Timeout limits the duration of a call; 0 means 30 s.
	Timeout time.Duration
}

type fetchArgs struct {
	URL      string `json:"url"`
	MaxBytes int64  `json:"max_bytes"`
}

// Fetch returns the tool that gets a page from the public network.
func Fetch(options FetchOptions) Tool {
	if options.Timeout == 0 {
		options.Timeout = mostFetchTime
	}
	return Tool{
		Tool:    llm.Tool{Name: "fetch", Description: fetchDescription, Schema: json.RawMessage(fetchSchema)},
		Effect:  permit.Reaches,
		Subject: named("url"),
		Question: func(args json.RawMessage) string {
			a, _ := parse[fetchArgs](args) // checked before
			return "Fetch " + workspace.Plain(a.URL) + "?"
		},
		Check: func(args json.RawMessage) error {
			_, err := parseFetch(args)
			return err
		},
		Run: options.fetch,
	}
}

func parseFetch(args json.RawMessage) (fetchArgs, error) {
	a, err := parse[fetchArgs](args)
	if err != nil {
		return a, err
	}
	to, err := url.Parse(a.URL)
	switch {
	case a.URL == "":
		return a, errors.New("arguments: url is missing")
	case err != nil:
		return a, fmt.Errorf("arguments: %w", err)
	case to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "":
		return a, fmt.Errorf("arguments: %q is not an http or https URL", a.URL)
	case to.User != nil:
		return a, errors.New("arguments: the URL contains a user name or a password")
	case a.MaxBytes < 0 || a.MaxBytes > mostFetched:
		return a, fmt.Errorf("arguments: max_bytes must be between 1 and %d", mostFetched)
	case a.MaxBytes == 0:
		a.MaxBytes = defaultFetched
	}
	return a, nil
}

func (o FetchOptions) client() web.Client { return web.Client{AllowPrivate: o.AllowPrivate} }

func (o FetchOptions) fetch(ctx context.Context, call Call) Result {
	a, err := parseFetch(call.Args)
	if err != nil {
		return failed(err)
	}
	tooLong := fmt.Errorf("no complete answer within %v", o.Timeout)
	bounded, done := context.WithTimeoutCause(ctx, o.Timeout, tooLong)
	defer done()
	p, err := o.client().Get(bounded, a.URL, a.MaxBytes)
	text := p.PageText()
	switch {
	case ctx.Err() != nil && err != nil:
		return stopped(text)
	case bounded.Err() != nil && err != nil:
		return failed(tooLong)
	case err != nil:
		return failed(err)
	}
	result := finished(text)
	result.Failed = p.Code >= http.StatusBadRequest
	return result
}
