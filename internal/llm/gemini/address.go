package gemini

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/bellcord/bellcord/internal/llm/wire"
)

// address returns the URL of the API. base may or may not end with the version.
func address(base string) (*url.URL, error) {
	if err := wire.CheckBaseURL(base); err != nil {
		return nil, err
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/"+version)
	return u.JoinPath(version), nil
}

// resource returns the resource name of a model.
func resource(model string) string {
	if strings.HasPrefix(model, "models/") || strings.HasPrefix(model, "tunedModels/") {
		return model
	}
	return "models/" + model
}

// at returns the URL of a resource. Special characters in its name are escaped.
func (p *Provider) at(name string, query url.Values) string {
	u := p.base.JoinPath((&url.URL{Path: name}).EscapedPath())
	u.RawQuery = query.Encode()
	return u.String()
}

// post returns a request for a streamed answer.
func (p *Provider) post(ctx context.Context, name string, body []byte) (*http.Request, error) {
	at := p.at(name, url.Values{"alt": {"sse"}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// keyed returns a Middleware that adds the key, if there is one. It sends the
// key only to the configured server, not to the target of a redirect.
func (p *Provider) keyed(key string) wire.Middleware {
	key = strings.TrimSpace(key) // a pasted key may end with a newline
	return func(req *http.Request, next wire.Next) (*http.Response, error) {
		if key != "" && req.URL.Scheme == p.base.Scheme && req.URL.Host == p.base.Host {
			req = req.Clone(req.Context())
			req.Header.Set("X-Goog-Api-Key", key)
		}
		return next(req)
	}
}
