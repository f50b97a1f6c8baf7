package main

import (
	"encoding/json"
	"iter"
	"strings"
	"sync"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// script is a scripted model. It calls tools through p and returns when it
// considers the work done.
type script func(p *player)

// player runs a script as the model of one session. Each call of use or batch
// is one step: it is the answer to a request, and returns with the results in
// the next request.
type player struct {
	dir      string   // the session's directory, as the system prompt names it
	system   string   // the system prompt
	tools    []string // names of the tools in the request
	messages []message

	yield  func(fakemodel.Move) bool
	calls  int
	gaveUp string // the answer after which the script gave up
}

// message is a message of a request to the model.
type message struct{ role, text string }

// object is the arguments of a call.
type object map[string]any

// errEnd ends a script from inside.
type errEnd struct{}

// use makes one call and returns its result.
func (p *player) use(name string, args object) string {
	return p.raw(name, marshal(args))
}

// raw makes one call with arguments as they are written.
func (p *player) raw(name, args string) string {
	return p.batch(fakemodel.MoveCall{Name: name, Arguments: args})[0]
}

// batch makes several calls in one step and returns their results.
func (p *player) batch(calls ...fakemodel.MoveCall) []string {
	p.calls += len(calls)
	p.answer(fakemodel.Move{Calls: calls})
	var results []string
	for _, m := range p.messages {
		if m.role == "tool" {
			results = append(results, m.text)
		}
	}
	if len(results) < len(calls) {
		p.giveUp("the request has no result of the call")
	}
	return results[len(results)-len(calls):]
}

// say answers with a text, which ends the turn unless the agent sends another
// request.
func (p *player) say(text string) { p.answer(fakemodel.Move{Text: text}) }

func (p *player) answer(m fakemodel.Move) {
	if !p.yield(m) {
		panic(errEnd{})
	}
}

// giveUp ends the script: the answer of a tool does not contain what the next
// attempt needs.
func (p *player) giveUp(answer string) {
	p.gaveUp = answer
	panic(errEnd{})
}

func marshal(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // scripts contain only JSON values
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cast gives every request to the player of its model.
type cast struct {
	mu      sync.Mutex
	players map[string]*running
}

type running struct {
	*player
	next func() (fakemodel.Move, bool)
	stop func()
}

// enter adds a player as the model with this name. The caller calls leave.
func (c *cast) enter(model string, p *player, play script) (leave func()) {
	next, stop := iter.Pull(func(yield func(fakemodel.Move) bool) {
		defer func() {
			if e := recover(); e != nil {
				if _, ended := e.(errEnd); !ended {
					panic(e)
				}
			}
		}()
		p.yield = yield
		play(p)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.players[model] = &running{p, next, stop}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.players, model)
		stop()
	}
}

// move implements the function of fakemodel.WithPlayer.
func (c *cast) move(model string, body []byte) fakemodel.Move {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.players[model]
	if r == nil {
		return fakemodel.Move{Text: "This case has ended."}
	}
	r.read(body)
	if m, more := r.next(); more {
		return m
	}
	return fakemodel.Move{Text: "Done."}
}

// read reads a request in the format of OpenAI's Chat Completions.
func (p *player) read(body []byte) {
	var req struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return // the fake model has validated the request
	}
	p.messages, p.tools = nil, nil
	for _, m := range req.Messages {
		text := contentText(m.Content)
		if m.Role == "system" || m.Role == "developer" {
			p.system = text
			continue
		}
		p.messages = append(p.messages, message{m.Role, text})
	}
	for _, t := range req.Tools {
		p.tools = append(p.tools, t.Function.Name)
	}
}

// contentText returns the content of a message, which is a text or a list of
// parts.
func contentText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &parts) // no parts: no text
	for _, part := range parts {
		text += part.Text
	}
	return text
}
