package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// version is the protocol's that we speak.
const version = 1

// authRequired is the code by which agents say that nobody is logged in.
const authRequired = -32000

// abilities is what an agent says of itself.
type abilities struct {
	Version int `json:"protocolVersion"`
	Agent   struct {
		Load   bool `json:"loadSession"`
		Prompt struct {
			Image bool `json:"image"`
		} `json:"promptCapabilities"`
		Session struct {
			Resume json.RawMessage `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	Info struct {
		Name  string `json:"name"`
		Title string `json:"title"`
	} `json:"agentInfo"`
}

func (a abilities) resumes() bool {
	r := string(a.Agent.Session.Resume)
	return r != "" && r != "null" && r != "false"
}

// hello finds out what the agent can do.
func (s *speaker) hello(ctx context.Context) (abilities, error) {
	var can abilities
	err := s.wire.call(ctx, "initialize", obj{
		"protocolVersion": version,
		"clientCapabilities": obj{
			"fs":       obj{"readTextFile": true, "writeTextFile": true},
			"terminal": s.opts.Keeper != nil,
		},
		"clientInfo": obj{"name": "bellcord", "title": "Bellcord", "version": s.opts.Version},
	}, &can)
	switch {
	case err != nil:
		return can, fmt.Errorf("saying hello: %w", plainly(err))
	case can.Version != version && can.Version != 0: // some forget to say
		return can, fmt.Errorf("it speaks version %d of the protocol, and this is version %d", can.Version, version)
	}
	s.images, s.name = can.Agent.Prompt.Image, can.Info.Name
	if s.name == "" {
		s.name = can.Info.Title
	}
	return can, nil
}

// opened is what an agent tells of a session.
type opened struct {
	Session string   `json:"sessionId"`
	Options []option `json:"configOptions"`
	Models  struct {
		Current string `json:"currentModelId"`
	} `json:"models"`
}

// enter opens the agent's own session, or, where that is not possible, a new
// one: a conversation that the agent has lost is not a reason to refuse work.
func (s *speaker) enter(ctx context.Context, dir, own string, can abilities) (string, error) {
	method := ""
	switch {
	case own == "":
	case can.Agent.Load:
		method = "session/load"
	case can.resumes():
		method = "session/resume"
	}
	if method != "" {
		var again opened
		err := s.wire.call(ctx, method, obj{"sessionId": own, "cwd": dir, "mcpServers": s.opts.MCP}, &again)
		switch {
		case err == nil:
			s.learn(again)
			return own, nil
		case ctx.Err() != nil || errors.Is(err, child.ErrGone):
			return "", fmt.Errorf("going on with its session: %w", err)
		}
		s.opts.Logger.Info("the agent cannot go on with its session and gets a new one", "session", own, "err", err)
	}
	var fresh opened
	err := s.wire.call(ctx, "session/new", obj{"cwd": dir, "mcpServers": s.opts.MCP}, &fresh)
	switch {
	case err != nil:
		return "", fmt.Errorf("opening a session: %w", plainly(err))
	case fresh.Session == "":
		return "", errors.New("opening a session: the agent did not name it")
	}
	s.learn(fresh)
	return fresh.Session, nil
}

// plainly says in words what to do about an agent that wants a login.
func plainly(err error) error {
	var told *jsonrpc.Error
	if errors.As(err, &told) && told.Code == authRequired {
		return fmt.Errorf("nobody is logged in: start the agent by itself once and log in there (it says: %w)", err)
	}
	return err
}

// learn notes which model the agent uses, where it tells.
func (s *speaker) learn(o opened) {
	model := modelOf(o.Options)
	if model == "" {
		model = o.Models.Current
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if model != "" {
		s.model = model
	}
}

// option is a setting of a session; its value need not be text.
type option struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Value    json.RawMessage `json:"currentValue"`
}

func modelOf(options []option) string {
	for _, o := range options {
		if o.Category == "model" || o.Category == "" && o.ID == "model" {
			var name string
			_ = json.Unmarshal(o.Value, &name) // what is no text is no model's name
			return name
		}
	}
	return ""
}

// spoken is the model that does the work, as far as one is told.
func (s *speaker) spoken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model != "" {
		return s.model
	}
	return s.name
}
