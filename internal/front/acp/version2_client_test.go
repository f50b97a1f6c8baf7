package acp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/acp"
)

// edit2 is edit with a client of version 2.
func edit2(t *testing.T, agent script, change func(*acp.Config), play func(t *testing.T, e *editor)) {
	t.Helper()
	editIn(t, official2, agent, change, play)
}

// hello negotiates version 2 for a client of it. Clients of version 1 need no
// initialize.
func (e *editor) hello() {
	e.t.Helper()
	if e.schema.params["session/load"] == nil {
		e.offer(obj{})
	}
}

// offer sends initialize with the capabilities of a client of version 2.
func (e *editor) offer(capabilities obj) frame {
	e.t.Helper()
	f := e.request("initialize", obj{"protocolVersion": 2, "info": obj{"name": "zed", "version": "1"}, "capabilities": capabilities})
	if f.Result["protocolVersion"] != 2.0 {
		e.t.Fatalf("initialize returned %v, %+v", f.Result, f.Error)
	}
	return f
}

// inWords2 formats an update of version 2 in one line; it returns "" for other
// frames.
func inWords2(f frame) string {
	if f.Method != "session/update" {
		return ""
	}
	u := f.Params["update"].(obj)
	words := []string{u["sessionUpdate"].(string)}
	for _, key := range []string{"state", "stopReason", "title", "status"} {
		if v, has := u[key]; has {
			words = append(words, fmt.Sprint(v))
		}
	}
	content, _ := u["content"].([]any)
	if one, is := u["content"].(obj); is {
		content = []any{one}
	}
	for _, block := range content {
		text, is := block.(obj)["text"]
		if inner, has := block.(obj)["content"].(obj); has {
			text, is = inner["text"]
		}
		if is {
			words = append(words, fmt.Sprintf("%q", text))
		}
	}
	return strings.Join(words, " ")
}

// updates returns the updates of version 2 among the frames from a position on,
// without those about settings and usage.
func (e *editor) updates(from int) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var words []string
	for _, f := range e.frames[from:] {
		switch w := inWords2(f); strings.SplitN(w, " ", 2)[0] {
		case "", "available_commands_update", "config_option_update", "session_info_update", "usage_update":
		default:
			words = append(words, w)
		}
	}
	return words
}

// sees waits for an update of version 2 from a position on and returns its index.
func (e *editor) sees(from int, words string) int {
	e.t.Helper()
	index := 0
	e.await(words, func(frame) bool {
		index = slices.IndexFunc(e.all()[from:], func(f frame) bool { return inWords2(f) == words })
		return index >= 0
	})
	return from + index
}

// inserted waits for the answer of a prompt, checks that it has a message id and
// returns both.
func (e *editor) inserted(id int) (message string, at int) {
	e.t.Helper()
	f, at := e.answerAt(id)
	message, _ = f.Result["messageId"].(string)
	if message == "" {
		e.t.Errorf("prompt %d was answered %v, %+v; want a messageId", id, f.Result, f.Error)
	}
	return message, at
}

// receiptAt returns the receipt of the update at an index.
func (e *editor) receiptAt(at int) (r bellcord.Receipt) {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	meta, _ := e.frames[at].Params["update"].(obj)["_meta"].(obj)
	data, err := json.Marshal(meta["bellcord/receipt"])
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil || r.Turn == "" {
		e.t.Errorf("no receipt in %v: %v", meta, err)
	}
	return r
}
