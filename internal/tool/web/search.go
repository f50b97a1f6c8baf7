package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// The services that an Engine can use.
const (
	Brave   = "brave"   // https://api-dashboard.search.brave.com
	Tavily  = "tavily"  // https://docs.tavily.com
	SearXNG = "searxng" // https://docs.searxng.org/dev/search_api.html
)

// Services contains all services.
var Services = []string{Brave, Tavily, SearXNG}

// mostAnswer is the maximum size of the answer of a service, in bytes.
const mostAnswer = 2 << 20

// Engine searches the web with a service.
type Engine struct {
	Service string
	// URL is the address of the service; "" means its public address. Only an
	// address that is set here may be a loopback or private one.
	URL string
	Key string
}

// Found is a result of a search.
type Found struct{ Title, URL, Snippet string }

// Search returns at most n results.
func (e Engine) Search(ctx context.Context, query string, n int) ([]Found, error) {
	request, err := e.request(ctx, query, n)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "bellcord")
	request.Header.Set("Accept", "application/json")
	client := http.Client{
		Transport: Client{AllowPrivate: e.URL != ""}.transport(ctx),
		// A redirect could lead to another private address, and would get the key.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, withoutQuery(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer+1))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answered %s", e.Service, response.Status)
	case len(body) > mostAnswer:
		return nil, fmt.Errorf("the answer of %s is longer than %d bytes", e.Service, mostAnswer)
	}
	found, err := e.parse(body)
	if err != nil {
		return nil, fmt.Errorf("the answer of %s is not as documented: %w", e.Service, err)
	}
	return found[:min(n, len(found))], nil
}

// request returns the request for a search in the form of the service.
func (e Engine) request(ctx context.Context, query string, n int) (*http.Request, error) {
	get := func(address string, parameters url.Values) (*http.Request, error) {
		to, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		to.RawQuery = parameters.Encode()
		return http.NewRequestWithContext(ctx, http.MethodGet, to.String(), http.NoBody)
	}
	switch e.Service {
	case Brave:
		request, err := get(e.address("https://api.search.brave.com", "/res/v1/web/search"), url.Values{"q": {query}, "count": {strconv.Itoa(n)}})
		if err == nil {
			request.Header.Set("X-Subscription-Token", e.Key)
		}
		return request, err
	case Tavily:
		body, err := json.Marshal(map[string]any{"query": query, "max_results": n})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.address("https://api.tavily.com", "/search"), bytes.NewReader(body))
		if err == nil {
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer "+e.Key)
		}
		return request, err
	case SearXNG:
		return get(e.address("", "/search"), url.Values{"q": {query}, "format": {"json"}})
	}
	return nil, fmt.Errorf("unknown service %q", e.Service)
}

// address returns the address of a path of the service.
func (e Engine) address(public, path string) string {
	base := e.URL
	if base == "" {
		base = public
	}
	return strings.TrimRight(base, "/") + path
}

// parse returns the results in the answer of a service.
func (e Engine) parse(body []byte) ([]Found, error) {
	type result struct{ Title, URL, Content, Description string }
	var answer struct {
		Results *[]result
		Web     struct{ Results []result }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	results := answer.Web.Results // Brave leaves web out if nothing was found
	if e.Service != Brave {
		if answer.Results == nil {
			return nil, errors.New("results are missing")
		}
		results = *answer.Results
	}
	var all []Found
	for _, r := range results {
		all = append(all, Found{oneLine(r.Title), oneLine(r.URL), oneLine(r.Content + r.Description)})
	}
	return all, nil
}

// oneLine returns the text of HTML or plain text in one line.
func oneLine(text string) string { return strings.Join(strings.Fields(htmlText(text)), " ") }

// withoutQuery removes the address from the error of a request: it contains the
// query, which the model has.
func withoutQuery(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
