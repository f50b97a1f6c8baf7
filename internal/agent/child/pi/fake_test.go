package pi_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/agent/child"
)

// TestMain lets the test binary act as pi.
func TestMain(m *testing.M) {
	if flavour := os.Getenv("FAKE_PI"); flavour != "" {
		(&fake{modern: flavour == "new", out: bufio.NewWriterSize(os.Stdout, 1<<20)}).serve()
		return
	}
	os.Exit(m.Run())
}

// fakePi returns the definition of an agent that behaves like pi 1.5.0 ("new")
// or 0.74.2 ("old").
func fakePi(t *testing.T, flavour string) child.Definition {
	t.Helper()
	return child.Definition{Name: "pi", Command: []string{os.Args[0]}, Env: []string{"FAKE_PI=" + flavour, "FAKE_PI_DIR=" + t.TempDir()}}
}

func eachFlavour(t *testing.T, play func(t *testing.T, s *stage)) {
	t.Helper()
	for _, flavour := range []string{"new", "old"} {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, fakePi(t, flavour))
			s.flavour = flavour
			play(t, s)
		})
	}
}

// fake is a pi as seen by its client. The words of a prompt determine what it
// does.
type fake struct {
	modern  bool
	session string
	prompts []string // prompts of the session
	model   string
	level   string

	mu        sync.Mutex
	out       *bufio.Writer
	aborted   chan struct{} // of the run; closed by an abort
	ended     chan struct{}
	streaming bool
	stubborn  int
	queued    []string
	dialogs   map[string]chan map[string]any
}

func (f *fake) serve() {
	f.dialogs = map[string]chan map[string]any{}
	f.session, f.model, f.level = newSessionFile(), "one", "low"
	fmt.Fprintf(os.Stdout, "warming up…\r\n\n{\"type\":") // as a careless extension might print
	fmt.Fprintln(os.Stdout)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var c map[string]any
		if json.Unmarshal(line, &c) == nil {
			f.command(c)
		}
	}
}

func (f *fake) put(record map[string]any) {
	line, _ := json.Marshal(record)
	f.raw(string(line) + "\n")
}

func (f *fake) raw(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = f.out.WriteString(text)
	_ = f.out.Flush()
}

func (f *fake) event(kind string, fields ...any) {
	record := map[string]any{"type": kind}
	for i := 0; i+1 < len(fields); i += 2 {
		record[fields[i].(string)] = fields[i+1]
	}
	f.put(record)
}

func (f *fake) respond(c map[string]any, data any) {
	f.event("response", "id", c["id"], "command", c["type"], "success", true, "data", data)
}

func (f *fake) refuse(c map[string]any, why string) {
	f.event("response", "id", c["id"], "command", c["type"], "success", false, "error", why)
}

// unknown rejects a command as versions before 0.79.7 do.
func (f *fake) unknown(c map[string]any) {
	f.event("response", "command", c["type"], "success", false, "error", fmt.Sprintf("Unknown command: %s", c["type"]))
}

func (f *fake) command(c map[string]any) {
	switch c["type"] {
	case "get_state":
		f.mu.Lock()
		now := map[string]any{
			"model": fakeModels[f.model], "thinkingLevel": f.level, "isStreaming": f.streaming || f.stubborn > 0,
			"sessionFile": f.session, "sessionId": "1", "pendingMessageCount": len(f.queued),
		}
		f.mu.Unlock()
		f.respond(c, now)
	case "switch_session":
		f.switchTo(c)
	case "clear_queue":
		if !f.modern {
			f.unknown(c)
			return
		}
		f.mu.Lock()
		queue := f.queued
		f.queued = nil
		f.mu.Unlock()
		f.respond(c, map[string]any{"steering": queue, "followUp": []string{}})
	case "abort":
		go f.abort(c)
	case "prompt":
		f.prompt(c)
	case "extension_ui_response":
		f.mu.Lock()
		waits := f.dialogs[c["id"].(string)]
		f.mu.Unlock()
		if waits != nil {
			waits <- c
		}
	default:
		f.setting(c)
	}
}

func (f *fake) abort(c map[string]any) {
	f.mu.Lock()
	aborted, ended := f.aborted, f.ended
	if f.stubborn > 0 {
		f.stubborn--
	}
	f.mu.Unlock()
	if aborted != nil {
		func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			select {
			case <-aborted:
			default:
				close(aborted)
			}
		}()
		<-ended
	}
	f.respond(c, nil)
}

func (f *fake) prompt(c map[string]any) {
	text, _ := c["message"].(string)
	if rest, typed := strings.CutPrefix(text, "/hello"); typed {
		text = "TEMPLATE" + rest
	}
	if strings.Contains(text, "rejected") {
		f.event("response", "id", c["id"], "command", "prompt", "success", false, "error", "No model selected")
		return
	}
	if strings.Contains(text, "handled") {
		f.accept(c, "handled")
		return
	}
	f.prompts = append(f.prompts, strings.ReplaceAll(text, "\n", " "))
	f.save()
	go func() {
		if strings.Contains(text, "hesitant") {
			<-time.After(300 * time.Millisecond) // an abort that arrives now is lost
		}
		f.mu.Lock()
		f.aborted, f.ended, f.streaming = make(chan struct{}), make(chan struct{}), true
		f.mu.Unlock()
		f.accept(c, "started")
		f.run(text, c["images"])
		f.mu.Lock()
		ended := f.ended
		f.aborted, f.streaming = nil, false
		f.mu.Unlock()
		if f.modern {
			f.event("agent_settled")
		}
		close(ended)
	}()
}

func (f *fake) accept(c map[string]any, disposition string) {
	if f.modern {
		f.respond(c, map[string]any{"disposition": disposition})
	} else {
		f.respond(c, nil)
	}
}

// detached starts a child of the fake's tool, outside of its process group.
func detached(seconds string) {
	_ = exec.Command("setsid", "sleep", seconds).Start()
}
