package acp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/secret"
)

// clientPlayer replays a recorded client against bellcord acp as it is built
// from settings: with the real tools and a fake model, or with a hosted agent in
// a process.
type clientPlayer struct {
	*editor
	client  recordedClient
	holding atomic.Bool // leave permissions unanswered
	files   map[string]string
}

// openClient connects a client. If record is set, the agent is a hosted one that
// records there.
func openClient(t *testing.T, c recordedClient, record string) *clientPlayer {
	t.Helper()
	settings := config.Defaults()
	settings.DataDir, settings.Model, settings.Mode = t.TempDir(), "fake/fake", "ask"
	settings.Provider = map[string]config.Provider{config.Fake: {API: config.Fake}}
	if record != "" {
		settings.Agent = "capable"
		settings.Sandbox.Mode = config.SandboxOff // the agent and its record are in /tmp
		settings.Agents = map[string]config.Agent{"capable": {
			Command: []string{os.Args[0]}, Protocol: "acp", Env: map[string]string{hostedDir: record},
		}}
	}
	var opening app.Editor
	front := opening.Open(t.Context(), app.Config{Settings: settings, Version: "test", Secrets: &secret.Set{}, Logger: slog.New(slog.DiscardHandler)})
	p := &clientPlayer{client: c, files: map[string]string{}, editor: &editor{
		t: t, dir: t.TempDir(), grew: make(chan struct{}), served: make(chan error, 1), extra: c.Frame, patience: time.Minute,
	}}
	p.connect(front, opening.Hub)
	t.Cleanup(func() {
		_ = p.wire.Close()
		if err := errors.Join(<-p.served, opening.Close()); err != nil {
			t.Error(err)
		}
	})
	go p.serve()
	return p
}

// fill returns a recorded value with the directory, the session and the text.
func (p *clientPlayer) fill(recorded json.RawMessage, prompt string) (filled any) {
	p.t.Helper()
	inside := func(s string) string { s = text(s); return s[1 : len(s)-1] } // as a part of a JSON string
	all := strings.NewReplacer("$DIR", inside(p.dir), "$SESSION", p.session, "$TEXT", inside(prompt)).Replace(string(recorded))
	if err := json.Unmarshal([]byte(all), &filled); err != nil {
		p.t.Fatalf("%s: %v", all, err)
	}
	return filled
}

// greet initializes the connection and opens a session.
func (p *clientPlayer) greet() {
	p.t.Helper()
	hello := p.request("initialize", p.client.Initialize)
	if hello.Error != nil || hello.Result["protocolVersion"] != 1.0 {
		p.t.Fatalf("initialize: %+v", hello)
	}
	if methods, _ := hello.Result["authMethods"].([]any); p.client.Authenticate && len(methods) > 0 {
		if r := p.request("authenticate", obj{"methodId": methods[0].(obj)["id"]}); r.Error != nil {
			p.t.Errorf("authenticate: %+v", r.Error)
		}
	}
	made, at := p.answerAt(p.send("session/new", p.fill(p.client.NewSession, "").(obj)))
	if made.Error != nil {
		p.t.Fatalf("session/new: %+v", made.Error)
	}
	p.session = made.Result["sessionId"].(string)
	for _, f := range p.all()[:at] { // JetBrains' client cannot handle an update for a session that it does not have yet
		if f.Method == "session/update" {
			p.t.Errorf("an update precedes the answer to session/new: %v", f.Params)
		}
	}
}

func (p *clientPlayer) say(prompt string) (id int) {
	p.t.Helper()
	return p.send("session/prompt", obj{"sessionId": p.session, "prompt": p.fill(p.client.Prompt, prompt)})
}

// work runs a turn to its end and allows everything.
func (p *clientPlayer) work(prompt string) {
	p.t.Helper()
	if r := p.answer(p.say(prompt)); r.Result["stopReason"] != "end_turn" {
		p.t.Fatalf("the turn ended with %+v", r)
	}
	p.check("session/request_permission", true)
}

// stop stops a turn while its permission is open, as the client does it.
func (p *clientPlayer) stop(prompt string) {
	p.t.Helper()
	p.holding.Store(true)
	from := p.count()
	id := p.say(prompt)
	request, _ := p.await("a permission", func(f frame) bool {
		return f.Method == "session/request_permission" && slices.ContainsFunc(p.all()[from:], func(g frame) bool { return string(g.ID) == string(f.ID) && g.Method != "" })
	})
	for _, step := range p.client.Cancel {
		if string(step) == `"permission"` {
			p.reply(request, json.RawMessage(`{"outcome":{"outcome":"cancelled"}}`))
			continue
		}
		p.notify("session/cancel", p.fill(step, "").(obj))
	}
	r, at := p.answerAt(id)
	if r.Result["stopReason"] != "cancelled" {
		p.t.Errorf("the stopped turn was answered %+v", r)
	}
	p.request("session/list", obj{}) // the replies come in the order of the wire
	for _, f := range p.all()[at+1:] {
		if kind := kindOf(f); strings.HasPrefix(kind, "tool_call") || strings.HasPrefix(kind, "agent_") {
			p.t.Errorf("after the answer: %v", f.Params)
		}
	}
}

// continueLater sends the requests that the client sends for earlier sessions.
func (p *clientPlayer) continueLater() {
	p.t.Helper()
	for _, step := range p.client.Later {
		if r := p.request(step.Method, p.fill(step.Params, "").(obj)); r.Error != nil {
			p.t.Errorf("%s: %+v", step.Method, r.Error)
		}
	}
}

// check reports an error if a method was requested and should not have been, or
// the other way around.
func (p *clientPlayer) check(method string, want bool) {
	p.t.Helper()
	if got := slices.ContainsFunc(p.all(), func(f frame) bool { return f.Method == method }); got != want {
		p.t.Errorf("%s was requested: %t, want %t", method, got, want)
	}
}

// checkFile reports an error if the turn's file is not where it should be: on
// the disk, or with the client.
func (p *clientPlayer) checkFile(onDisk bool) {
	p.t.Helper()
	path := filepath.Join(p.dir, "made.txt")
	_, err := os.Stat(path)
	p.mu.Lock()
	held := p.files[path]
	p.mu.Unlock()
	if (err == nil) != onDisk || (held == "made\n") == onDisk {
		p.t.Errorf("the file is on disk: %t, want %t; the client has %q", err == nil, onDisk, held)
	}
}

// serve answers the requests of Bellcord.
func (p *clientPlayer) serve() {
	for next := 0; ; {
		p.mu.Lock()
		frames, grew := p.frames, p.grew
		p.mu.Unlock()
		for ; next < len(frames); next++ {
			if f := frames[next]; f.Method != "" && len(f.ID) > 0 {
				if _, err := strconv.Atoi(string(f.ID)); err != nil { // JetBrains' client reads no other ids
					p.t.Errorf("the id %s is not an integer", f.ID)
				}
				p.answerRequest(f)
			}
		}
		select {
		case <-grew:
		case <-p.t.Context().Done():
			return
		}
	}
}

func (p *clientPlayer) answerRequest(f frame) {
	path, _ := f.Params["path"].(string)
	switch f.Method {
	case "fs/read_text_file":
		p.mu.Lock()
		held := p.files[path]
		p.mu.Unlock()
		p.reply(f, obj{"content": held})
	case "fs/write_text_file":
		p.mu.Lock()
		p.files[path], _ = f.Params["content"].(string)
		p.mu.Unlock()
		p.reply(f, p.client.Written)
	case "terminal/create":
		p.reply(f, obj{"terminalId": "t1"})
	case "terminal/output":
		p.reply(f, obj{"output": "terminal-mark\n", "truncated": false, "exitStatus": obj{"exitCode": 0}})
	case "elicitation/create":
		p.reply(f, obj{"action": "accept", "content": obj{"env": "dev"}})
	case "session/request_permission":
		if p.holding.Load() {
			return
		}
		for _, option := range f.Params["options"].([]any) {
			if option.(obj)["kind"] == "allow_once" {
				p.reply(f, obj{"outcome": obj{"outcome": "selected", "optionId": option.(obj)["optionId"]}})
				return
			}
		}
	default:
		p.reply(f, obj{})
	}
}

func (p *clientPlayer) reply(f frame, result any) {
	_, _ = fmt.Fprintf(p.wire, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", f.ID, text(result)) // fails after the end of the test
}
