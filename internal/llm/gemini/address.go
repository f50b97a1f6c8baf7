package gemini

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/bellcord/bellcord/internal/llm/wire"
)

// address is that of the API on a server, whether or not base names the version.
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

// resource is the name of a model as addresses have it.
func resource(model string) string {
	if strings.HasPrefix(model, "models/") || strings.HasPrefix(model, "tunedModels/") {
		return model
	}
	return "models/" + model
}

// at is the address of a resource. What is special in addresses has no meaning
// in its name.
func (p *Provider) at(name string, query url.Values) string {
	u := p.base.JoinPath((&url.URL{Path: name}).EscapedPath())
	u.RawQuery = query.Encode()
	return u.String()
}

// post is a request whose answer comes as a stream of events.
func (p *Provider) post(ctx context.Context, name string, body []byte) (*http.Request, error) {
	at := p.at(name, url.Values{"alt": {"sse"}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// keyed sends the key, if there is one, to the server that it is for: not to
// where that one may send us on.
func (p *Provider) keyed(key string) wire.Middleware {
	key = strings.TrimSpace(key) // keys are pasted with their line's end
	return func(req *http.Request, next wire.Next) (*http.Response, error) {
		if key != "" && req.URL.Scheme == p.base.Scheme && req.URL.Host == p.base.Host {
			req = req.Clone(req.Context())
			req.Header.Set("X-Goog-Api-Key", key)
		}
		return next(req)
	}
}
