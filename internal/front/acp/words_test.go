package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// inWords formats an update in one line; it returns "" for other frames.
func inWords(f frame) string {
	if f.Method != "session/update" {
		return ""
	}
	u := f.Params["update"].(obj)
	words := []string{u["sessionUpdate"].(string)}
	for _, key := range []string{"toolCallId", "title", "status", "currentModeId", "used"} {
		if v, has := u[key]; has {
			words = append(words, fmt.Sprint(v))
		}
	}
	switch content := u["content"].(type) {
	case obj:
		if content["type"] == "image" {
			words = append(words, fmt.Sprint(content["mimeType"], " ", content["data"]))
			break
		}
		words = append(words, fmt.Sprintf("%q", content["text"]))
	case []any:
		for _, part := range content {
			if part := part.(obj); part["type"] == "diff" {
				words = append(words, fmt.Sprint("diff ", part["path"]))
			} else {
				words = append(words, fmt.Sprintf("%q", part["content"].(obj)["text"]))
			}
		}
	}
	if options, has := u["configOptions"].([]any); has {
		for _, o := range options {
			words = append(words, fmt.Sprint(o.(obj)["currentValue"]))
		}
	}
	return strings.Join(words, " ")
}

// waits is an agent that emits one text and then runs until it is stopped.
func waits(ctx context.Context, w *hub.Work) error {
	if err := w.Emit(bellcord.TextDelta{Text: "here: " + w.Prompt.Text}); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// echoes is an agent that replies with its prompt.
func echoes(_ context.Context, w *hub.Work) error {
	return w.Emit(bellcord.TextDelta{Text: "echo: " + w.Prompt.Text})
}

// all emits the bodies, each in a separate commit.
func all(ctx context.Context, w *hub.Work, bodies ...bellcord.Body) error {
	for _, b := range bodies {
		if err := w.Emit(b); err != nil {
			return err
		}
		if err := w.Sync(ctx); err != nil {
			return err
		}
	}
	return nil
}

func called(call, name, args string) bellcord.ToolCallRequested {
	return bellcord.ToolCallRequested{Call: call, Name: name, Arguments: json.RawMessage(args)}
}

// calls waits for a request or notification from the server.
func (e *editor) calls(method string) (frame, int) {
	e.t.Helper()
	return e.await(method, func(f frame) bool { return f.Method == method })
}

// shown waits for an update that contains text and returns its index.
func (e *editor) shown(text string) int {
	e.t.Helper()
	_, at := e.await("update "+text, func(f frame) bool { return strings.Contains(inWords(f), text) })
	return at
}

// since returns the updates from a frame on, formatted by inWords.
func (e *editor) since(at int) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var words []string
	for _, f := range e.frames[at:] {
		if w := inWords(f); w != "" {
			words = append(words, w)
		}
	}
	return words
}

func (e *editor) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.frames)
}

// ends checks the stop reason of a prompt's reply and returns the index of the
// reply.
func (e *editor) ends(id int, reason string) int {
	e.t.Helper()
	f, at := e.answerAt(id)
	if f.Result["stopReason"] != reason {
		e.t.Errorf("prompt %d was answered %v, %+v; want %s", id, f.Result, f.Error, reason)
	}
	return at
}
