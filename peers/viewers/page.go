package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/bellcord/bellcord"
)

// pages are a browser's pages, each in a separate profile with a separate login and connections: a
// browser opens six connections per host, and each stream occupies one permanently.
type pages struct {
	browser *chromium
	base    string
	losses  atomic.Int64 // streams that a page found lost and reopened
	failed  chan error

	mu      sync.Mutex
	ledgers map[string][]*ledger // of the streams of a page, by page
}

// streamsOfAPage leaves one of the six connections free.
const streamsOfAPage = 5

func openPages(ctx context.Context, profile, base string) (*pages, error) {
	p := &pages{base: base, failed: make(chan error, 1), ledgers: map[string][]*ledger{}}
	var err error
	p.browser, err = startChromium(ctx, profile, p.record)
	return p, err
}

// open opens a page that watches the sessions, logged in with the code.
func (p *pages) open(ctx context.Context, name, code string, sessions []bellcord.SessionID) ([]*ledger, error) {
	page, err := p.blank(ctx)
	if err != nil {
		return nil, err
	}
	var ledgers []*ledger
	for _, id := range sessions {
		l := newLedger(fmt.Sprintf("%s, stream of %s", name, id))
		l.same = sameJSON
		ledgers = append(ledgers, l)
	}
	p.mu.Lock()
	p.ledgers[page] = ledgers
	p.mu.Unlock()
	for _, step := range []struct {
		method string
		params map[string]any
	}{
		{"Page.enable", map[string]any{}},
		{"Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}}, // a hidden page closes its streams
		{"Page.navigate", map[string]any{"url": p.base + "/login"}},
		{"Runtime.enable", map[string]any{}},
		{"Runtime.addBinding", map[string]any{"name": "tell"}},
	} {
		if err := p.browser.callMethod(ctx, page, step.method, step.params, nil); err != nil {
			return nil, err
		}
	}
	if err := p.callFunction(ctx, page, login, code); err != nil {
		return nil, err
	}
	return ledgers, p.callFunction(ctx, page, watch, sessions)
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
		if err := p.browser.callMethod(ctx, "", step.method, step.params(), &made); err != nil {
			return "", err
		}
	}
	return made.SessionID, nil
}

// The code that runs in the page, as in the real page: the client that the server delivers logs in,
// follows the sessions and reopens broken streams. Nothing here passes it a position.
const (
	login = `async code => (await import("/client.js")).logIn(code)`
	watch = `async sessions => {
		const {follow} = await import("/client.js");
		sessions.forEach((session, stream) => follow(session, {
			events: events => events.forEach(e => tell(JSON.stringify({stream, id: String(e.seq), data: JSON.stringify(e)}))),
			link: state => { if (state === "lost" || state === "gone") tell(JSON.stringify({stream, lost: state})) },
			anew: () => tell(JSON.stringify({stream, wrong: "the log is taken for another one"})),
			problem: why => tell(JSON.stringify({stream, wrong: why})),
		}));
	}`
)

// callFunction calls a function in the page and waits for its promise.
func (p *pages) callFunction(ctx context.Context, page, function string, argument any) error {
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
	err = p.browser.callMethod(ctx, page, "Runtime.evaluate", map[string]any{
		"expression": "(" + function + ")(" + string(given) + ")", "awaitPromise": true,
	}, &answer)
	if e := answer.ExceptionDetails; err == nil && e != nil {
		err = fmt.Errorf("in the page: %s %s", e.Text, e.Exception.Description)
	}
	return err
}

// record records the messages that a page received.
func (p *pages) record(page, method string, params json.RawMessage) {
	if method != "Runtime.bindingCalled" {
		return
	}
	var call struct{ Payload string }
	var decoded struct {
		Stream                int
		ID, Data, Lost, Wrong string
	}
	err := json.Unmarshal(params, &call)
	if err == nil {
		err = json.Unmarshal([]byte(call.Payload), &decoded)
	}
	p.mu.Lock()
	of := p.ledgers[page]
	p.mu.Unlock()
	switch {
	case err != nil:
	case decoded.Stream >= len(of):
		err = fmt.Errorf("a page reported a stream that it does not have: %s", call.Payload)
	case decoded.Lost == "lost":
		p.losses.Add(1)
		return
	case decoded.Lost != "" || decoded.Wrong != "":
		err = fmt.Errorf("%s: %s%s", of[decoded.Stream].name, decoded.Lost, decoded.Wrong)
	default:
		of[decoded.Stream].addShown(shown{decoded.ID, decoded.Data})
		return
	}
	select {
	case p.failed <- err:
	default: // only the first error is reported
	}
}
