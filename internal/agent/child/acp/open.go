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

// hello sends initialize and returns the agent's capabilities.
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
	case version != acp.Version && version != 0: // some agents omit the version
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

// openSession opens the agent's session with the id own or, if that is not
// possible, a new one: losing the agent's conversation is no reason to fail the
// turn.
func (s *speaker) openSession(ctx context.Context, dir, own string, can acp.AgentCapabilities) (string, error) {
	none := []acp.McpServer{} // agents require the list, even if it is empty
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
			s.setModel(again.ConfigOptions, again.Models.Current)
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
	s.setModel(fresh.ConfigOptions, fresh.Models.Current)
	return fresh.SessionID, nil
}

// plainly adds instructions to the error of an agent that requires a login.
func plainly(err error) error {
	var told *jsonrpc.Error
	if errors.As(err, &told) && told.Code == int(acp.AuthRequired) {
		return fmt.Errorf("the agent is not logged in: start it once without Bellcord and log in there (%w)", err)
	}
	return err
}

// setModel stores the model that the agent uses, if it reports it: in its config
// options, or in the older field, passed as older.
func (s *speaker) setModel(options []acp.SessionConfigOption, older string) {
	model := cmp.Or(modelOf(options), older)
	s.mu.Lock()
	defer s.mu.Unlock()
	if model != "" {
		s.model = model
	}
}

func modelOf(options []acp.SessionConfigOption) string {
	for _, o := range options {
		if o.Category == "model" || o.Category == "" && o.ID == "model" {
			name, _ := o.CurrentValue.(string) // a value of another type is not a model name
			return name
		}
	}
	return ""
}

// spoken returns the agent's model or, if it is not reported, the agent's name.
func (s *speaker) spoken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model != "" {
		return s.model
	}
	return s.name
}
