package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// Initialize implements child.Controller.
func (s *speaker) Initialize(ctx context.Context) (json.RawMessage, error) {
	hello, err := s.shakeHands(ctx)
	if err != nil {
		return nil, err
	}
	return hello.reply, nil
}

// shakeHands starts the reading goroutine and sends initialize, once. The
// goroutine returns at the end of the process's output.
func (s *speaker) shakeHands(ctx context.Context) (*handshake, error) {
	s.handshake.Lock()
	defer s.handshake.Unlock()
	if hello := s.hello.Load(); hello != nil {
		return hello, nil
	}
	s.reader.Do(func() { go s.wire.read(s.link.handle) })
	var reply json.RawMessage
	sent := s.introduction()
	if err := s.wire.requestAndWait(ctx, acp.MethodInitialize, sent, &reply); err != nil {
		return nil, fmt.Errorf("initialize: %w", plainly(err))
	}
	var agent acp.InitializeResponse
	if err := acp.Decode(reply, &agent); err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	if version := agent.ProtocolVersion; version != acp.Version && version != 0 { // some agents omit the version
		return nil, fmt.Errorf("it uses protocol version %d, but only version %d is supported", version, acp.Version)
	}
	hello := &handshake{
		sent: acp.Encode(sent), reply: reply, can: agent.AgentCapabilities,
		name: cmp.Or(agent.AgentInfo.Name, agent.AgentInfo.Title),
	}
	s.hello.Store(hello)
	return hello, nil
}

// introduction returns the parameters of initialize. If the session has a client
// that sent its own, they are passed on, except for files, which Bellcord serves.
// Terminals are Bellcord's, too: they are offered if the client has terminals, so
// that the agent runs its commands in the same way as without Bellcord.
func (s *speaker) introduction() any {
	own := acp.InitializeRequest{
		ProtocolVersion: acp.Version,
		ClientCapabilities: acp.ClientCapabilities{
			FS:       acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
			Terminal: s.opts.Keeper != nil,

			Elicitation: acp.ElicitationCapabilities{Form: true, URL: true},
		},
		ClientInfo: acp.Implementation{Name: "bellcord", Title: "Bellcord", Version: s.opts.Version},
	}
	if s.opts.Client == nil {
		return own
	}
	var client, capabilities map[string]any
	if json.Unmarshal(s.opts.Client(), &client) != nil || client == nil {
		return own
	}
	capabilities, _ = client["clientCapabilities"].(map[string]any)
	if capabilities == nil {
		capabilities = map[string]any{}
	}
	capabilities["fs"] = own.ClientCapabilities.FS
	if capabilities["terminal"] == true {
		capabilities["terminal"] = own.ClientCapabilities.Terminal
	}
	client["protocolVersion"], client["clientCapabilities"] = acp.Version, capabilities
	if client["clientInfo"] == nil {
		client["clientInfo"] = own.ClientInfo
	}
	return client
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
func (s *speaker) openSession(ctx context.Context, session bellcord.Session, own string, can acp.AgentCapabilities) (string, error) {
	if method := reopening(own, can); method != "" {
		_, err := s.requestSession(ctx, method, session, own)
		switch {
		case err == nil:
			return own, nil
		case ctx.Err() != nil || errors.Is(err, child.ErrGone):
			return "", fmt.Errorf("resuming its session: %w", err)
		}
		s.opts.Logger.Info("agent cannot resume its session, opening a new one", "session", own, "err", err)
	}
	fresh, err := s.requestSession(ctx, acp.MethodNewSession, session, "")
	switch {
	case err != nil:
		return "", fmt.Errorf("opening a session: %w", plainly(err))
	case fresh == "":
		return "", errors.New("opening a session: the agent returned no session id")
	}
	return fresh, nil
}

// reopening returns the method that opens the agent's session with the id own,
// or "" if there is none.
func reopening(own string, can acp.AgentCapabilities) string {
	switch {
	case own == "":
		return ""
	case can.LoadSession:
		return acp.MethodLoadSession
	case bool(can.SessionCapabilities.Resume):
		return acp.MethodResumeSession
	}
	return ""
}

// requestSession opens a session, with the members that the client added to its
// own request. It returns the id in the reply.
func (s *speaker) requestSession(ctx context.Context, method string, session bellcord.Session, own string) (string, error) {
	params := map[string]any{"mcpServers": []acp.McpServer{}} // agents require the list, even if it is empty
	if s.opts.Params != nil {
		for name, value := range s.opts.Params(session.ID) {
			params[name] = value
		}
	}
	params["cwd"] = session.Dir
	if s.takesDirs() && len(session.AdditionalDirs) > 0 { // also if another client continues the session
		params["additionalDirectories"] = session.AdditionalDirs
	}
	if own != "" {
		params["sessionId"] = own
	}
	var reply json.RawMessage
	if err := s.wire.requestAndWait(ctx, method, params, &reply); err != nil {
		return "", err
	}
	var of opened
	if err := acp.Decode(reply, &of); err != nil && len(reply) > 0 && string(reply) != "null" {
		return "", err
	}
	if method == acp.MethodLoadSession {
		s.awaitReplay(ctx)
	}
	s.settings.setReply(reply)
	s.setModel(of.ConfigOptions, of.Models.Current)
	return of.SessionID, nil
}

// takesDirs reports whether the agent accepts additional directories.
func (s *speaker) takesDirs() bool {
	hello := s.hello.Load()
	return hello != nil && bool(hello.can.SessionCapabilities.AdditionalDirectories)
}

// plainly adds to an agent's error the details that the agent sent, and
// instructions if the agent requires a login.
func plainly(err error) error {
	var failure *jsonrpc.Error
	if errors.As(err, &failure) && failure.Code == int(acp.AuthRequired) {
		return fmt.Errorf("the agent is not logged in: log in through the editor, or start the agent once without Bellcord and log in there (%w)", err)
	}
	if details := detailsOf(failure); details != "" {
		return fmt.Errorf("%w: %s", err, details)
	}
	return err
}

// detailsOf returns the text in the data of an error, or "": the data itself, or
// the member in which agents send it.
func detailsOf(e *jsonrpc.Error) string {
	if e == nil {
		return ""
	}
	data := e.Data
	for _, name := range []string{"details", "message"} {
		if member := acp.MembersOf(e.Data)[name]; member != nil {
			data = member
			break
		}
	}
	var text string
	_ = json.Unmarshal(data, &text) // "" if it is no text
	return strings.Join(strings.Fields(text), " ")
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

// modelName returns the agent's model or, if it is not reported, the agent's
// name.
func (s *speaker) modelName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model != "" {
		return s.model
	}
	return s.hello.Load().name
}
