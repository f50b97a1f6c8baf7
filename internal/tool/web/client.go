// Package web gets pages from the public network and converts them to text.
package web

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// mostRedirects is the maximum number of redirects of a request.
const mostRedirects = 5

// peekedAt is the number of bytes that determine whether a page is text.
const peekedAt = 8000

// Client sends requests to the public network.
type Client struct {
	// AllowPrivate also allows loopback and private addresses. Link-local and
	// metadata addresses are always refused.
	AllowPrivate bool
}

// Get gets a page and reads at most most bytes of it. With an error it also
// returns the part of the page that it has read.
func (c Client) Get(ctx context.Context, url string, most int64) (p Page, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return p, err
	}
	request.Header.Set("User-Agent", "bellcord")
	request.Header.Set("Accept", "text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1")
	client := http.Client{Transport: c.transport(ctx), CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > mostRedirects {
			return fmt.Errorf("more than %d redirects", mostRedirects)
		}
		return nil
	}}
	response, err := client.Do(request)
	if err != nil {
		return p, err
	}
	defer func() { _ = response.Body.Close() }()

	kind, parameters, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	p.Code, p.kind, p.latin1 = response.StatusCode, kind, strings.EqualFold(parameters["charset"], "iso-8859-1")
	err = p.read(ctx, response.Body, most)
	if p.kind == "" || p.kind == "application/octet-stream" {
		p.kind, _, _ = strings.Cut(http.DetectContentType(p.body), ";")
	}
	p.head = fmt.Sprintf("[%s, %s, %s]\n\n", response.Status, p.kind, workspace.Plain(response.Request.URL.Redacted()))
	if !textual(p.kind) || bytes.IndexByte(p.body[:min(len(p.body), peekedAt)], 0) >= 0 {
		size := "of unknown size"
		if response.ContentLength >= 0 {
			size = fmt.Sprintf("of %d bytes", response.ContentLength)
		}
		p.head, p.body = "", nil
		if err == nil {
			err = fmt.Errorf("%s is %s %s, not text", workspace.Plain(url), p.kind, size)
		}
	}
	return p, err
}
