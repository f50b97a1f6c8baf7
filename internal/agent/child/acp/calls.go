package acp

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
)

// call is a tool call of the agent's own.
type call struct {
	id, name, title, kind string
	input                 json.RawMessage // an object, or nil
	paths                 []string
	content               []callContent
	output                string // as it was last shown

	called  bool // the log has it
	started bool
	ended   bool
	waits   bool // for a permission, or was refused it: it does not run
	allowed bool // by rule, mode or person
}

// callUpdate is a tool_call, a tool_call_update, or what a permission is asked
// for: each tells only what is new.
type callUpdate struct {
	ID        string          `json:"toolCallId"`
	Name      string          `json:"name"`
	Title     *string         `json:"title"`
	Kind      string          `json:"kind"`
	Status    string          `json:"status"`
	Input     json.RawMessage `json:"rawInput"`
	Output    json.RawMessage `json:"rawOutput"`
	Content   []callContent   `json:"content"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
	Meta json.RawMessage `json:"_meta"`
}

type callContent struct {
	Type     string `json:"type"`
	Content  block  `json:"content"`
	Path     string `json:"path"`
	Terminal string `json:"terminalId"`
}

// call takes in what is new of a call; the lock is held.
func (t *turn) call(u callUpdate) *call {
	c := t.known(u)
	if c == nil || c.ended {
		return c
	}
	if u.Content != nil {
		c.content = u.Content
	} else if u.final() {
		u.Content = c.content // a terminal in it may have more to show
	}
	if c.input != nil || u.Status == "in_progress" || u.Content != nil || u.final() {
		t.show(c)
	}
	if u.Status == "in_progress" {
		t.start(c)
	}
	if text, tells := t.text(u); tells {
		t.show(c)
		t.output(c, text)
	}
	if u.final() {
		t.end(c, u.Status == "failed")
	}
	return c
}

// known finds the call, or makes it, and notes what is new.
func (t *turn) known(u callUpdate) *call {
	if u.ID == "" {
		return nil
	}
	var c *call
	for _, one := range t.calls {
		if one.id == u.ID {
			c = one
		}
	}
	if c == nil && u.final() && t.ctx.Err() != nil {
		return nil // it was never seen to begin, and its end counts no more
	}
	if c == nil {
		c = &call{id: u.ID}
		t.calls = append(t.calls, c)
	}
	if u.Title != nil && *u.Title != "" {
		c.title = *u.Title
	}
	if name := u.tool(); name != "" {
		c.name = name
	}
	if u.Kind != "" {
		c.kind = u.Kind
	}
	if isObject(u.Input) && !bytes.Equal(u.Input, []byte("{}")) {
		c.input = json.RawMessage(strings.ToValidUTF8(string(u.Input), "\uFFFD"))
	}
	for _, l := range u.Locations {
		c.paths = append(c.paths, l.Path)
	}
	return c
}

func (u callUpdate) final() bool { return u.Status == "completed" || u.Status == "failed" }

// show records the call, once. It waits for the arguments: agents announce a
// call while the model is still writing them.
func (t *turn) show(c *call) {
	if c.called {
		return
	}
	c.called = true
	t.emit(bellcord.Called{Call: c.id, Name: c.proper(), Title: c.title, Sort: c.kind, Args: c.args()})
}

// start records that the call runs, once.
func (t *turn) start(c *call) {
	t.show(c)
	if !c.started {
		c.started, c.waits = true, false
		t.emit(bellcord.CallStarted{Call: c.id})
	}
}

// output records what the content has more than it had. Content is replaced as
// a whole: where the new one does not begin with the old it is told again.
func (t *turn) output(c *call, text string) {
	more, longer := strings.CutPrefix(text, c.output)
	if !longer {
		more = text
	}
	c.output = text
	if more != "" && !c.waits {
		t.start(c)
		t.emit(bellcord.CallOutput{Call: c.id, Text: more})
	}
}

// end records a call's end. After a stop agents call killed tools completed as
// well as failed, so then it is left open: the receipt says that it was stopped,
// with its output so far.
func (t *turn) end(c *call, failed bool) {
	switch {
	case t.ctx.Err() != nil:
		return
	case c.waits && failed:
		t.show(c)
		t.emit(bellcord.CallEnded{Call: c.id, Fate: bellcord.NotStarted, Failed: true, Text: "[not started: it was not allowed]"})
	default:
		t.start(c)
		t.emit(bellcord.CallEnded{Call: c.id, Fate: bellcord.Finished, Failed: failed, Text: c.output})
	}
	c.ended = true
}

// text is the update's content as text, and whether it has any to tell.
func (t *turn) text(u callUpdate) (string, bool) {
	var parts []string
	for _, c := range u.Content {
		switch c.Type {
		case "content":
			parts = append(parts, c.Content.said())
		case "diff":
			parts = append(parts, "[changes "+c.Path+"]")
		case "terminal":
			parts = append(parts, t.terminals[c.Terminal].text())
		}
	}
	if u.Content == nil && u.final() && len(u.Output) > 0 && string(u.Output) != "null" {
		text := strings.ToValidUTF8(string(u.Output), "\uFFFD")
		_ = json.Unmarshal(u.Output, &text) // what is no text is shown as it is
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n"), len(parts) > 0
}

func isObject(value json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(value, &object) == nil && object != nil
}
