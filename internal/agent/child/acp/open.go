package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// hello finds out what the agent can do.
func (s *speaker) hello(ctx context.Context) (acp.AgentCapabilities, error) {
	var agent acp.InitializeResponse
	err := s.wire.requestAndWait(ctx, acp.MethodInitialize, acp.InitializeRequest{
		ProtocolVersion: acp.Version,
		ClientCapabilities: acp.ClientCapabilities{
			FS:       acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
			Terminal: s.opts.Keeper != nil,
		},
		ClientInfo: acp.Implementation{Name: "bellcord", Title: "Bellcord", Version: s.opts.Version},
	}, &agent)
	can, version := agent.AgentCapabilities, agent.ProtocolVersion
	switch {
	case err != nil:
		return can, fmt.Errorf("initialize: %w", plainly(err))
	case version != acp.Version && version != 0: // some forget to say
		return can, fmt.Errorf("it uses protocol version %d, but only version %d is supported", version, acp.Version)
	}
	s.images, s.name = can.PromptCapabilities.Image, cmp.Or(agent.AgentInfo.Name, agent.AgentInfo.Title)
	return can, nil
}

// opened is an agent's description of a session. Models is no longer in the
// schema, but some agents still send it.
type opened struct {
	acp.NewSessionResponse
	Models struct {
		Current string `json:"currentModelId"`
	} `json:"models"`
}

// openSession opens the agent's own session, or, where that is not possible, a new
// one: a conversation that the agent has lost is not a reason to refuse work.
func (s *speaker) openSession(ctx context.Context, dir, own string, can acp.AgentCapabilities) (string, error) {
	none := []acp.McpServer{} // agents want the list, also when it is empty
	method := ""
	switch {
	case own == "":
	case can.LoadSession:
		method = acp.MethodLoadSession
	case bool(can.SessionCapabilities.Resume):
		method = acp.MethodResumeSession
	}
	if method != "" {
		var again opened
		err := s.wire.requestAndWait(ctx, method, acp.LoadSessionRequest{SessionID: own, Cwd: dir, McpServers: none}, &again)
		switch {
		case err == nil:
			s.learn(again.ConfigOptions, again.Models.Current)
			return own, nil
		case ctx.Err() != nil || errors.Is(err, child.ErrGone):
			return "", fmt.Errorf("resuming its session: %w", err)
		}
		s.opts.Logger.Info("agent cannot resume its session, opening a new one", "session", own, "err", err)
	}
	var fresh opened
	err := s.wire.requestAndWait(ctx, acp.MethodNewSession, acp.NewSessionRequest{Cwd: dir, McpServers: none}, &fresh)
	switch {
	case err != nil:
		return "", fmt.Errorf("opening a session: %w", plainly(err))
	case fresh.SessionID == "":
		return "", errors.New("opening a session: the agent returned no session id")
	}
	s.learn(fresh.ConfigOptions, fresh.Models.Current)
	return fresh.SessionID, nil
}

// plainly says in words what to do about an agent that wants a login.
func plainly(err error) error {
	var told *jsonrpc.Error
	if errors.As(err, &told) && told.Code == int(acp.AuthRequired) {
		return fmt.Errorf("the agent is not logged in: start it once without Bellcord and log in there (%w)", err)
	}
	return err
}

// learn notes which model the agent uses, where it tells: in its settings, or
// beside them.
func (s *speaker) learn(options []acp.SessionConfigOption, beside string) {
	model := cmp.Or(modelOf(options), beside)
	s.mu.Lock()
	defer s.mu.Unlock()
	if model != "" {
		s.model = model
	}
}

func modelOf(options []acp.SessionConfigOption) string {
	for _, o := range options {
		if o.Category == "model" || o.Category == "" && o.ID == "model" {
			name, _ := o.CurrentValue.(string) // what is no text is no model's name
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
