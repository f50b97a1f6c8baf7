package app

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/secret"
)

// Editor serves the sessions of an editor. Its App is opened in the background,
// and only once there is a model; the zero value has none.
type Editor struct {
	secrets *secret.Known
	opened  func() (*App, error)
}

// Open starts to open the App and returns the configuration of the front at once:
// the store opens during the handshake with the editor.
func (e *Editor) Open(ctx context.Context, from Config) acp.Config {
	c := from.Settings
	known := NewModels(c) // for the names only
	e.secrets = from.Secrets
	e.opened = sync.OnceValues(func() (*App, error) { return Open(ctx, from) })
	go e.opened() //nolint:errcheck // every later call returns the error
	return acp.Config{
		Version: from.Version, Owner: MachineOwner, Agent: c.Agent, Model: DefaultModel(c), Models: c.Models, Mode: c.Mode,
		Prompt: PromptLimits(c), Logger: from.Logger,
		CheckModel: known.Check, ContextSize: known.ContextWindow,
		Opened: func(id bellcord.SessionID, editor *acp.Desk, servers []acp.MCPServer) {
			if a, err := e.opened(); err == nil {
				a.OpenEditor(id, editor, servers)
			}
		},
		Closed: func(id bellcord.SessionID) {
			if a, err := e.opened(); err == nil {
				a.CloseEditor(id)
			}
		},
	}
}

// Hub waits until the App is open and returns its hub.
func (e *Editor) Hub() (*hub.Hub, error) {
	a, err := e.opened()
	if err != nil {
		return nil, e.secrets.Error(err)
	}
	return a.Hub, nil
}

// Close closes the App, if Open was called.
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
