package drive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/proc"
)

// Visit is one agent driven through all stages, one way: bare, or behind Bellcord. The probes read
// what it recorded.
type Visit struct {
	kit    Kit
	way    Way
	place  Place
	dir    string
	work   string // the working directory of the sessions
	model  *fakemodel.Server
	keeper *proc.Keeper
	shell  func(command string) toolUse
	ctx    context.Context //nolint:containedctx // a visit lasts as long as one call

	command     proc.Command // the agent as it is driven
	bareCommand proc.Command // the agent itself

	stages map[string]*stage
	order  []string

	// The session and process that most stages use.
	client  *client
	session string

	ownSession string // made by the agent itself, without Bellcord
	ownMade    time.Time
}

// stage is what happened in one part of a visit.
type stage struct {
	name     string
	frames   []frame             // in both directions
	requests []fakemodel.Request // to the model
	result   object              // of the stage's own request
	wanted   any                 // the value that the stage set
	err      error
}

// run records what happens while do runs.
func (v *Visit) run(c *client, name string, do func() (object, error)) *stage {
	from, requests := 0, len(v.model.Requests())
	if c != nil {
		from = c.count()
	}
	s := &stage{name: name}
	s.result, s.err = do()
	if c != nil {
		v.settle(c)
		s.frames = c.since(from)
	}
	s.requests = v.model.Requests()[requests:]
	v.stages[name] = s
	v.order = append(v.order, name)
	return s
}

// quiet is how long no frame may arrive before a stage is over: some updates follow the answer.
const quiet = 300 * time.Millisecond

// settle waits until the agent is quiet, at most three seconds.
func (v *Visit) settle(c *client) {
	ctx, done := context.WithTimeout(v.ctx, 3*time.Second)
	defer done()
	for ctx.Err() == nil {
		short, stop := context.WithTimeout(ctx, quiet)
		_, err := c.await(short, c.count(), func(frame) bool { return true })
		stop()
		if err != nil {
			return
		}
	}
}

// stage returns what was recorded under a name, or an empty stage.
func (v *Visit) stage(name string) *stage {
	if s := v.stages[name]; s != nil {
		return s
	}
	return &stage{name: name, err: fmt.Errorf("stage %s was not reached", name)}
}

// updates returns the updates of some kinds; all if none is named.
func (s *stage) updates(kinds ...string) []object {
	var found []object
	for _, f := range s.frames {
		update, kind := f.update()
		if kind == "" {
			continue
		}
		if len(kinds) == 0 {
			found = append(found, update)
		}
		for _, k := range kinds {
			if k == kind {
				found = append(found, update)
			}
		}
	}
	return found
}

// calls returns all updates of tool calls.
func (s *stage) calls() []object { return s.updates("tool_call", "tool_call_update") }

// received returns the parameters of the agent's requests with a method.
func (s *stage) received(method string) []object {
	var found []object
	for _, f := range s.frames {
		if params, is := f.body["params"].(object); is && !f.sent && f.method() == method {
			found = append(found, params)
		}
	}
	return found
}

// text returns the text of the answer.
func (s *stage) text() string {
	var all strings.Builder
	for _, u := range s.updates("agent_message_chunk") {
		all.WriteString(textAt(u, "content", "text"))
	}
	return all.String()
}

// sendPrompt sends blocks to the session and waits for the answer.
func (v *Visit) sendPrompt(name string, blocks ...object) *stage {
	c := v.client
	return v.run(c, name, func() (object, error) {
		result, err := c.call(v.ctx, "session/prompt", object{"sessionId": v.session, "prompt": blocks})
		if errors.Is(err, context.DeadlineExceeded) {
			err = errors.Join(err, v.cancel()) // so that the next stage does not wait for it
		}
		return result, err
	})
}

// cancel stops the turn of the session.
func (v *Visit) cancel() error {
	return v.client.write(object{"jsonrpc": "2.0", "method": "session/cancel", "params": object{"sessionId": v.session}})
}

func textBlock(text string) object { return object{"type": "text", "text": text} }

// say sends a text prompt.
func (v *Visit) say(name, text string) *stage { return v.sendPrompt(name, textBlock(text)) }

// useTool makes the model call a tool of the agent.
func (v *Visit) useTool(name string, t toolUse) {
	if t.tool == "" {
		v.stages[name] = &stage{name: name, err: errNoTool}
		return
	}
	v.say(name, fmt.Sprintf("%s [tool %s %s] [then [say after %s]]", name, t.tool, t.args, name))
}

// file writes a file in the working directory and returns its path.
func (v *Visit) file(name, text string) string {
	path := filepath.Join(v.work, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err) // the directory is new and ours
	}
	return path
}
