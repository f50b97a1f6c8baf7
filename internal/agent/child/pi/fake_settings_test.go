package pi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func newSessionFile() string {
	return filepath.Join(os.Getenv("FAKE_PI_DIR"), fmt.Sprintf("%d.jsonl", time.Now().UnixNano()))
}

// header is the first line of a session's file.
const header = `{"type":"session","version":3}`

func (f *fake) save() {
	_ = os.WriteFile(f.session, []byte(header+"\n"+strings.Join(f.prompts, "\n")+"\n"), 0o600)
}

// fakeModels are the models in the form of pi. The first one is that of the
// command line.
var fakeModels = map[string]map[string]any{
	"one": {"provider": "fake", "id": "one", "name": "One", "reasoning": true, "contextWindow": 1000},
	"two": {"provider": "fake", "id": "two", "name": "Two", "reasoning": false, "contextWindow": 2000},
}

var fakeLevels = map[string][]string{"one": {"off", "low", "high"}, "two": {"off"}}

// switchTo opens a session. As pi does, it then uses the model of the command
// line.
func (f *fake) switchTo(c map[string]any) {
	path, _ := c["sessionPath"].(string)
	text, err := os.ReadFile(path)
	if err != nil {
		f.refuse(c, "no such session")
		return
	}
	if slices.Contains(f.prompts, "no way back") {
		f.refuse(c, "Cannot switch")
		return
	}
	f.session, f.model = path, "one"
	f.prompts = strings.Split(strings.TrimSpace(strings.TrimPrefix(string(text), header)), "\n")
	f.respond(c, map[string]any{"cancelled": false})
}

// setting handles commands about the session.
func (f *fake) setting(c map[string]any) {
	switch c["type"] {
	case "get_available_models":
		f.respond(c, map[string]any{"models": []any{fakeModels["one"], fakeModels["two"]}})
	case "get_available_thinking_levels":
		if !f.modern {
			f.unknown(c)
			return
		}
		f.respond(c, map[string]any{"levels": fakeLevels[f.model]})
	case "get_commands":
		f.respond(c, map[string]any{"commands": []any{map[string]any{"name": "hello", "description": "a template", "source": "prompt"}}})
	case "get_session_stats":
		f.respond(c, map[string]any{"cost": 0.25, "contextUsage": map[string]any{"tokens": 10 * len(f.prompts), "contextWindow": fakeModels[f.model]["contextWindow"], "percent": 1.5}})
	case "set_model":
		id, _ := c["modelId"].(string)
		if fakeModels[id] == nil || c["provider"] != "fake" {
			f.refuse(c, "Model not found")
			return
		}
		f.model, f.level = id, fakeLevels[id][0]
		f.respond(c, fakeModels[id])
	case "set_thinking_level":
		if f.level != c["level"] {
			f.level, _ = c["level"].(string)
			f.event("thinking_level_changed", "level", f.level)
		}
		f.respond(c, nil)
	case "get_messages":
		var all []any
		for _, p := range f.prompts {
			all = append(all, map[string]any{"role": "user", "content": p}, assistant("stop", "answer to "+p, used(1, 1)))
		}
		f.respond(c, map[string]any{"messages": all})
	case "clone":
		f.clone(c)
	case "steer":
		f.mu.Lock()
		f.queued = append(f.queued, c["message"].(string))
		f.mu.Unlock()
		f.respond(c, map[string]any{"disposition": "queued"})
	default:
		f.unknown(c)
	}
}

// clone copies the session, and stays in the copy. As pi does, it ends a run that
// is in progress.
func (f *fake) clone(c map[string]any) {
	if len(f.prompts) == 0 {
		f.refuse(c, "This session has not been saved yet.")
		return
	}
	f.mu.Lock()
	aborted := f.aborted
	f.mu.Unlock()
	if aborted != nil {
		close(aborted)
	}
	if slices.Contains(f.prompts, "lazy clone") {
		<-time.After(2 * time.Second)
	}
	f.session, f.model = newSessionFile(), "one"
	f.save()
	f.respond(c, map[string]any{"cancelled": false})
}

// steered waits for a message in the queue, or for an abort. It takes the message if take is set,
// and otherwise ends too early for it.
func (f *fake) steered(take bool) string {
	for {
		f.mu.Lock()
		if len(f.queued) > 0 {
			message := f.queued[0]
			if take {
				f.queued = nil
			}
			f.mu.Unlock()
			return message
		}
		f.mu.Unlock()
		select {
		case <-f.aborted:
			return ""
		case <-time.After(time.Millisecond):
		}
	}
}
