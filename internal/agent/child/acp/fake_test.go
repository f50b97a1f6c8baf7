package acp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeDir is the variable that makes the test binary act as an agent. Its value
// is the directory where the agent stores its state.
const fakeDir = "BELLCORD_FAKE_ACP"

// fakeManner is the variable with words that select the agent's behavior in
// every turn.
const fakeManner = "BELLCORD_FAKE_MANNER"

// TestMain also runs the fake agent, when the test binary starts itself as one.
func TestMain(m *testing.M) {
	if dir := os.Getenv(fakeDir); dir != "" {
		newFake(dir, os.Getenv(fakeManner)).serve()
		return
	}
	os.Exit(m.Run())
}

type object = map[string]any

// fake is an agent that acts as its prompts and its manner specify.
type fake struct {
	dir     string
	manner  []string
	journal *os.File // everything that it received

	mu      sync.Mutex
	session string
	next    int
	waiting map[string]chan json.RawMessage // requests sent by the agent
	late    []object                        // updates of a replay that it sends one by one: each before the response to an unknown request, and the rest before a turn
	cancel  chan struct{}                   // of the running turn
	cancels int                             // cancels received in that turn
	works   int                             // number of times that it worked until a cancel, without a prompt
}

func newFake(dir, manner string) *fake {
	journal, err := os.OpenFile(filepath.Join(dir, "received"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return &fake{dir: dir, manner: strings.Fields(manner), journal: journal, waiting: map[string]chan json.RawMessage{}}
}

func (f *fake) is(word string) bool {
	for _, m := range f.manner {
		if m == word {
			return true
		}
	}
	return false
}

type record struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (f *fake) serve() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		_, _ = f.journal.Write(line)
		var r record
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		f.handle(r)
	}
}

func (f *fake) handle(r record) {
	var p struct {
		Session string `json:"sessionId"`
		Prompt  []struct {
			Type, Text string
		} `json:"prompt"`
	}
	_ = json.Unmarshal(r.Params, &p)
	switch r.Method {
	case "initialize":
		f.hello(r.ID)
	case "session/new":
		f.open(r.ID)
	case "session/load", "session/resume":
		f.load(r, p.Session)
	case "session/prompt":
		for _, u := range f.late {
			f.update(u)
		}
		f.late = nil
		f.mu.Lock()
		f.session = p.Session
		f.cancel, f.cancels = make(chan struct{}), 0
		cancel := f.cancel
		f.mu.Unlock()
		var types []string
		text := ""
		for _, b := range p.Prompt {
			types = append(types, b.Type)
			text += b.Text
		}
		go f.turn(r.ID, text, types, cancel)
	case "session/cancel":
		f.cancelled()
	case "session/fork":
		f.reply(r.ID, object{"sessionId": p.Session + "-fork"})
	case "session/close", "session/set_mode":
		f.reply(r.ID, object{})
	case "session/set_config_option":
		f.reply(r.ID, object{"configOptions": []object{
			{"id": "mode", "category": "mode", "type": "select", "currentValue": "plan"},
			{"id": "model", "category": "model", "type": "select", "currentValue": "fake/small"},
		}})
	case "":
		f.mu.Lock()
		waiting := f.waiting[string(r.ID)]
		f.mu.Unlock()
		if waiting != nil && r.Error != nil {
			waiting <- append([]byte("error "), r.Error...)
		} else if waiting != nil {
			waiting <- r.Result
		}
	default:
		if len(f.late) > 0 {
			f.update(f.late[0])
			f.late = f.late[1:]
		}
		if r.ID != nil && !f.is("silent") {
			f.fail(r.ID, -32601, "unknown method")
		}
	}
}

func (f *fake) hello(id json.RawMessage) {
	answer := func() {
		capabilities := object{"loadSession": !f.is("noload"), "promptCapabilities": object{"image": !f.is("blind"), "embeddedContext": !f.is("textonly")}}
		if f.is("resumes") {
			capabilities["sessionCapabilities"] = object{"resume": object{}}
		}
		if f.is("directories") {
			capabilities["sessionCapabilities"] = object{"additionalDirectories": object{}}
		}
		f.reply(id, object{"protocolVersion": 1, "agentCapabilities": capabilities, "agentInfo": object{"name": "fake", "version": "1"}})
	}
	switch {
	case f.is("sleepy"): // until the file "wake" exists
		go func() {
			for range time.Tick(5 * time.Millisecond) {
				if _, err := os.Stat(filepath.Join(f.dir, "wake")); err == nil {
					answer()
					return
				}
			}
		}()
	default:
		answer()
	}
}

func (f *fake) open(id json.RawMessage) {
	if f.is("locked") {
		f.fail(id, -32000, "Authentication required")
		return
	}
	entries, _ := filepath.Glob(filepath.Join(f.dir, "session-*"))
	if f.is("refuses") && len(entries) > 0 {
		f.fail(id, -32603, "one is enough")
		return
	}
	f.session = fmt.Sprintf("session-%d", len(entries)+1)
	if err := os.WriteFile(filepath.Join(f.dir, f.session), nil, 0o600); err != nil {
		panic(err)
	}
	f.reply(id, object{"sessionId": f.session, "modes": object{"currentModeId": "x", "availableModes": []object{
		{"id": "x", "name": "X"}, {"id": "plan", "name": "Plan"},
	}}, "configOptions": []object{
		{"id": "mode", "category": "mode", "type": "select", "currentValue": "x"},
		{"id": "fast", "type": "boolean", "currentValue": true},
		{"id": "model", "category": "model", "type": "select", "currentValue": "fake/large"},
	}})
}

func (f *fake) load(r record, session string) {
	if _, err := os.Stat(filepath.Join(f.dir, session)); err != nil || f.is("forgetful") {
		f.fail(r.ID, -32002, "no such session")
		return
	}
	f.session = session
	if replay, err := os.ReadFile(filepath.Join(f.dir, session)); r.Method == "session/load" && err == nil && len(replay) > 0 {
		updates := updatesOf(string(replay))
		if f.is("late") { // the response comes after the first update
			f.late, updates = updates[1:], updates[:1]
		}
		for _, u := range updates {
			f.update(u)
		}
	} else if r.Method == "session/load" {
		f.sendText("REPLAYED")
		f.update(object{"sessionUpdate": "session_info_update", "title": "replayed"})
	}
	f.reply(r.ID, nil)
}

// cancelled counts the cancels of the turn. An agent with the manner "loses"
// ignores the first one.
func (f *fake) cancelled() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancels++
	effective := 1
	if f.is("loses") {
		effective = 2
	}
	if f.cancel != nil && f.cancels == effective {
		close(f.cancel)
	}
}

func (f *fake) sendText(text string) {
	f.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": text}})
}

func (f *fake) update(u object) {
	f.send(object{"method": "session/update", "params": object{"sessionId": f.session, "update": u}})
}

func (f *fake) reply(id json.RawMessage, result any) { f.send(object{"id": id, "result": result}) }

func (f *fake) fail(id json.RawMessage, code int, why string) {
	f.send(object{"id": id, "error": object{"code": code, "message": why, "data": object{"details": "it was deleted\n yesterday"}}})
}

// request sends a request and returns the response as text, "error …" for an error.
func (f *fake) request(method string, params object) string {
	f.mu.Lock()
	f.next++
	id := fmt.Sprintf(`"ask-%d"`, f.next)
	answer := make(chan json.RawMessage, 1)
	f.waiting[id] = answer
	f.mu.Unlock()
	params["sessionId"] = f.session
	f.send(object{"id": json.RawMessage(id), "method": method, "params": params})
	return string(<-answer)
}

func (f *fake) send(m object) {
	m["jsonrpc"] = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	f.write(string(line) + "\n")
}

func (f *fake) write(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = os.Stdout.WriteString(text)
}
