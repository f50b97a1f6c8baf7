package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/bellcord/bellcord"
)

// pages are a browser's, each in a profile of its own with its own cookies and
// connections: a browser has six for a host, and a stream takes one for good.
type pages struct {
	browser *chromium
	base    string
	gaveUp  atomic.Int64
	failed  chan error

	mu      sync.Mutex
	ledgers map[string][]*ledger // of a page's streams, by the page
}

// streamsOfAPage leaves one of the six connections free.
const streamsOfAPage = 5

func openPages(ctx context.Context, profile, base string) (*pages, error) {
	p := &pages{base: base, failed: make(chan error, 1), ledgers: map[string][]*ledger{}}
	var err error
	p.browser, err = startChromium(ctx, profile, p.heed)
	return p, err
}

// open makes a page that watches the sessions, logged in with the code.
func (p *pages) open(ctx context.Context, name, code string, sessions []bellcord.SessionID) ([]*ledger, error) {
	page, err := p.blank(ctx)
	if err != nil {
		return nil, err
	}
	var ledgers []*ledger
	paths := []string{}
	for _, id := range sessions {
		ledgers = append(ledgers, newLedger(fmt.Sprintf("%s, EventSource on %s", name, id)))
		paths = append(paths, "/v1/sessions/"+string(id)+"/events")
	}
	p.mu.Lock()
	p.ledgers[page] = ledgers
	p.mu.Unlock()
	// The server's answers allow a page nothing at all, for they are no pages. Ours
	// is one of them all the same, because an EventSource with a cookie needs a page
	// of the same origin: the browser is told not to mind.
	for _, step := range []struct {
		method string
		params map[string]any
	}{
		{"Page.setBypassCSP", map[string]any{"enabled": true}},
		{"Page.navigate", map[string]any{"url": p.base + "/healthz"}},
		{"Runtime.enable", map[string]any{}},
		{"Runtime.addBinding", map[string]any{"name": "tell"}},
	} {
		if err := p.browser.call(ctx, page, step.method, step.params, nil); err != nil {
			return nil, err
		}
	}
	if err := p.run(ctx, page, login, code); err != nil {
		return nil, err
	}
	return ledgers, p.run(ctx, page, watch, paths)
}

func (p *pages) blank(ctx context.Context) (page string, err error) {
	var made struct{ BrowserContextID, TargetID, SessionID string }
	for _, step := range []struct {
		method string
		params func() map[string]any
	}{
		{"Target.createBrowserContext", func() map[string]any { return map[string]any{} }},
		{"Target.createTarget", func() map[string]any {
			return map[string]any{"url": "about:blank", "browserContextId": made.BrowserContextID}
		}},
		{"Target.attachToTarget", func() map[string]any { return map[string]any{"targetId": made.TargetID, "flatten": true} }},
	} {
		if err := p.browser.call(ctx, "", step.method, step.params(), &made); err != nil {
			return "", err
		}
	}
	return made.SessionID, nil
}

// What runs in the page. An EventSource comes back by itself, with Last-Event-ID;
// but Chromium takes half a head that ends in order, over plain HTTP, for a whole
// one, finds no content type in it, and then gives up for good. What a page can do
// is to open another, behind the last event it has. See trial.count for how often.
const (
	login = `async code => {
		const answer = await fetch("/v1/login", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({code})});
		if (answer.status !== 204) throw new Error("login: " + answer.status);
	}`
	watch = `paths => paths.forEach((path, stream) => {
		let last = "";
		const open = () => {
			const source = new EventSource(last ? path + "?after=" + last : path);
			source.onmessage = e => {
				last = e.lastEventId;
				tell(JSON.stringify({stream, id: e.lastEventId, data: e.data}));
			};
			source.onerror = () => {
				if (source.readyState !== EventSource.CLOSED) return;
				tell(JSON.stringify({stream, closed: true}));
				setTimeout(open, 1000);
			};
		};
		open();
	})`
)

// run calls a function in the page and waits for what it promises.
func (p *pages) run(ctx context.Context, page, function string, argument any) error {
	given, err := json.Marshal(argument)
	if err != nil {
		return err
	}
	var answer struct {
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err = p.browser.call(ctx, page, "Runtime.evaluate", map[string]any{
		"expression": "(" + function + ")(" + string(given) + ")", "awaitPromise": true,
	}, &answer)
	if e := answer.ExceptionDetails; err == nil && e != nil {
		err = fmt.Errorf("in the page: %s %s", e.Text, e.Exception.Description)
	}
	return err
}

// heed writes down what an EventSource was given.
func (p *pages) heed(page, method string, params json.RawMessage) {
	if method != "Runtime.bindingCalled" {
		return
	}
	var call struct{ Payload string }
	var told struct {
		Stream   int
		ID, Data string
		Closed   bool
	}
	err := json.Unmarshal(params, &call)
	if err == nil {
		err = json.Unmarshal([]byte(call.Payload), &told)
	}
	p.mu.Lock()
	of := p.ledgers[page]
	p.mu.Unlock()
	switch {
	case err == nil && told.Stream < len(of) && !told.Closed:
		of[told.Stream].add(shown{told.ID, told.Data})
		return
	case err == nil && told.Stream < len(of):
		p.gaveUp.Add(1)
		return
	case err == nil:
		err = fmt.Errorf("a page tells of a stream that it does not have: %s", call.Payload)
	}
	select {
	case p.failed <- err:
	default: // the first is enough
	}
}
