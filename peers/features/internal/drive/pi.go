package drive

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// rpc drives pi, which has another protocol, and notes what that protocol has.
type rpc struct {
	v     *Visit
	c     *client
	n     int
	found map[string]Finding
}

// drivePi returns the features of pi without Bellcord.
func (v *Visit) drivePi() (Results, error) {
	c, err := startProcess(v.keeper, v.bareCommand, newEditor(v.keeper, false))
	if err != nil {
		return Results{}, err
	}
	defer c.disconnect()
	p := &rpc{v: v, c: c, found: map[string]Finding{}}
	for _, feature := range probes() {
		p.found[feature.name] = none("not part of pi's protocol")
	}
	if _, err := p.call("get_state", nil); err != nil {
		return Results{}, err
	}
	p.settings()
	p.turns()
	p.commands()
	p.sessions()
	v.stages["pi"] = &stage{name: "pi", frames: c.since(0), requests: v.model.Requests()}
	v.order = append(v.order, "pi")
	return Results{Findings: p.found}, nil
}

// call sends a command and returns the data of its response.
func (p *rpc) call(kind string, more object) (object, error) {
	ctx, done := context.WithTimeout(p.v.ctx, callBound)
	defer done()
	p.n++
	id := "p" + strconv.Itoa(p.n)
	m := object{"id": id, "type": kind}
	for name, value := range more {
		m[name] = value
	}
	from := p.c.count()
	if err := p.c.write(m); err != nil {
		return nil, err
	}
	f, err := p.c.await(ctx, from, func(f frame) bool { return !f.sent && textAt(f.body, "type") == "response" && f.body["id"] == id })
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", kind, err, p.c.lastNoise())
	}
	if f.body["success"] != true {
		return nil, errors.New(kind + ": " + textAt(f.body, "error"))
	}
	data, _ := f.body["data"].(object)
	return data, nil
}

// sendPrompt runs a turn and returns its events and its requests to the model.
func (p *rpc) sendPrompt(text string, more object) ([]frame, []fakemodel.Request, error) {
	from, requests := p.c.count(), len(p.v.model.Requests())
	params := object{"message": text}
	for name, value := range more {
		params[name] = value
	}
	if _, err := p.call("prompt", params); err != nil {
		return nil, nil, err
	}
	ctx, done := context.WithTimeout(p.v.ctx, callBound)
	defer done()
	_, err := p.c.await(ctx, from, func(f frame) bool { return textAt(f.body, "type") == "agent_settled" })
	return p.c.since(from), p.v.model.Requests()[requests:], err
}

func (p *rpc) record(feature string, f Finding) { p.found[feature] = f }

// noteAnswer notes a feature that a command of the protocol has.
func (p *rpc) noteAnswer(feature, kind string, more object) object {
	data, err := p.call(kind, more)
	if err != nil {
		p.record(feature, no("%v", err))
		return nil
	}
	p.record(feature, yes("%s: %s", kind, encode(data)))
	return data
}

func (p *rpc) settings() {
	if data := p.noteAnswer("models to choose", "get_available_models", nil); data != nil {
		var names []string
		for _, m := range listAt(data, "models") {
			names = append(names, textAt(m, "provider")+"/"+textAt(m, "id"))
		}
		p.record("models to choose", all("model", names))
	}
	if data := p.noteAnswer("effort to choose", "get_available_thinking_levels", nil); data != nil {
		var levels []string
		for _, level := range listAt(data, "levels") {
			levels = append(levels, fmt.Sprint(level))
		}
		p.record("effort to choose", all("thinking level", levels))
	}
	if _, err := p.call("set_model", object{"provider": "fake", "modelId": "fake2"}); err == nil {
		_, requests, _ := p.sendPrompt("[say set]", nil)
		p.record("a chosen model is used", when(len(requests) > 0 && requests[0].Model == "fake2", fmt.Sprintf("%d requests", len(requests))))
		_, _ = p.call("set_model", object{"provider": "fake", "modelId": "fake"}) // the other model would do as well
	}
	p.noteAnswer("a chosen effort is kept", "set_thinking_level", object{"level": "low"})
}

func (p *rpc) turns() {
	tool := p.v.shell("echo OUTPUT-OF-THE-COMMAND; echo second line")
	events, _, err := p.sendPrompt(fmt.Sprintf("[tool %s %s] [then [say after shell]]", tool.tool, tool.args), nil)
	if err != nil {
		p.record("output of a command", no("%v", err))
		return
	}
	for _, f := range events {
		switch textAt(f.body, "type") {
		case "tool_execution_start":
			p.record("command shown", when(hasText(f.body["args"], "echo"), "tool_execution_start"))
			p.record("rawInput", Finding{State: Present, Saw: "args", Items: []string{"shell"}})
			p.record("name of the tool", Finding{State: Present, Saw: textAt(f.body, "toolName"), Items: []string{"shell"}})
		case "tool_execution_end":
			p.record("output of a command", when(hasText(f.body["result"], "second line"), "tool_execution_end"))
		}
	}
	_, requests, err := p.sendPrompt("[say seen]", object{"images": []object{{"type": "image", "data": pixel, "mimeType": "image/png"}}})
	p.record("images", when(err == nil && len(requests) > 0 && hasImage(requests[0].Raw), "in the request to the model"))
	events, _, _ = p.sendPrompt("[think 5 1ms] [say thought about it]", nil)
	for _, f := range events {
		if hasText(f.body["assistantMessageEvent"], "thinking_delta") {
			p.record("thoughts", yes("thinking_delta"))
		}
	}
	if stats := p.noteAnswer("usage with cost", "get_session_stats", nil); stats != nil {
		size, _ := at(stats, "contextUsage", "contextWindow").(float64)
		p.record("usage with size", Finding{State: Present, Saw: "get_session_stats", Items: []string{fmt.Sprint(int64(size))}})
	}
}

func (p *rpc) commands() {
	if data := p.noteAnswer("commands announced", "get_commands", nil); data != nil {
		p.record("commands announced", all("command", announced(listAt(data, "commands"))))
	}
	typed := func(feature string) {
		_, requests, err := p.sendPrompt(p.v.kit.typed(), nil)
		p.record(feature, when(err == nil && len(requests) > 0 && strings.Contains(requests[0].Prompt, template), "the model received the template"))
	}
	typed("a command typed")
	from := p.c.count()
	if _, err := p.call("prompt", object{"message": "[slow 1000 10ms]"}); err == nil {
		ctx, done := context.WithTimeout(p.v.ctx, callBound)
		defer done()
		_, _ = p.c.await(ctx, from, func(f frame) bool { return hasText(f.body["assistantMessageEvent"], "text_delta") }) // then abort in any case
		if _, err := p.call("steer", object{"message": "[say steered]"}); err == nil {
			p.record("steering", yes("steer"))
		}
		_, _ = p.call("clear_queue", nil) // the steering message is not needed
		if _, err := p.call("abort", nil); err == nil {
			typed("a command typed right after a stop")
		}
	}
}

func (p *rpc) sessions() {
	if data, err := p.call("get_fork_messages", nil); err == nil {
		messages := listAt(data, "messages")
		p.record("fork", when(len(messages) > 0, fmt.Sprintf("%d messages to fork from", len(messages))))
	}
	if _, err := p.call("set_session_name", object{"name": "named"}); err == nil {
		p.record("title of the session", yes("set_session_name"))
	}
	State, err := p.call("get_state", nil)
	p.record("load after a restart", when(err == nil && textAt(State, "sessionFile") != "", "a session file"))
	requests := len(p.v.model.Requests())
	_, err = p.call("compact", nil)
	p.record("compaction by the agent's command", when(err == nil || len(p.v.model.Requests()) > requests, fmt.Sprintf("compact: %v", err)))
}
