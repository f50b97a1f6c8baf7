package app

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/secret"
)

// Editor serves the sessions of an editor. The zero value has no App; Open
// opens one in the background.
type Editor struct {
	secrets *secret.Set
	opened  func() (*App, error)
}

// Open starts to open the App and returns the front's configuration
// immediately. The store opens during the handshake with the editor.
func (e *Editor) Open(ctx context.Context, from Config) acp.Config {
	c := from.Settings
	models := NewModels(c) // for the names only
	e.secrets = from.Secrets
	e.opened = sync.OnceValues(func() (*App, error) { return Open(ctx, from) })
	go e.opened() //nolint:errcheck // every later call returns the error
	var hosted acp.Hosted
	if c.Agent != "" {
		agent := hostedAgent{name: c.Agent, dir: workingDir(), opened: e.opened}
		hosted = agent
		go agent.prepare()
	}
	return acp.Config{
		Hosted:  hosted,
		Version: from.Version, Owner: MachineOwner, Agent: c.Agent, Model: DefaultModel(c), Models: c.Models, Mode: c.Mode,
		Prompt: PromptLimits(c), Logger: from.Logger,
		CheckModel: models.Check, ContextSize: models.ContextWindow, Efforts: models.Efforts,
		Opened: func(id bellcord.SessionID, editor *acp.EditorTools, servers []acp.MCPServer) {
			if a, err := e.opened(); err == nil {
				a.OpenEditor(id, editor, servers)
			}
		},
		Background: func(id bellcord.SessionID) []bellcord.Process {
			a, err := e.opened()
			if err != nil {
				return nil
			}
			return a.background.List(id)
		},
		Files: func() (acp.Files, error) {
			a, err := e.opened()
			if err != nil {
				return nil, e.secrets.Error(err)
			}
			return a.Files(), nil
		},
		Closed: func(id bellcord.SessionID) {
			if a, err := e.opened(); err == nil {
				a.CloseEditor(id)
			}
		},
	}
}

// Hub waits until the App is open and returns its hub. Errors contain no
// secrets. Open must have been called.
func (e *Editor) Hub() (*hub.Hub, error) {
	a, err := e.opened()
	if err != nil {
		return nil, e.secrets.Error(err)
	}
	return a.Hub, nil
}

// Close waits until the App is open and closes it. It does nothing if Open was
// not called.
func (e *Editor) Close() error {
	if e.opened == nil {
		return nil
	}
	a, err := e.opened()
	if err != nil {
		return err
	}
	return a.Close()
}
