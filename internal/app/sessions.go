package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/realdir"
)

// OpenEditor gives a session the tools of its editor and the MCP servers that
// the editor names.
func (a *App) OpenEditor(id bellcord.SessionID, editor *acp.EditorTools, servers []acp.MCPServer) {
	a.tools.open(id, editor, servers)
}

// HasEditor reports whether a session has the tools of OpenEditor.
func (a *App) HasEditor(id bellcord.SessionID) bool { return a.tools.has(id) }

// Background returns a function for the commands of a session that outlive
// their turns, or nil if other processes run turns of the same sessions, whose
// commands this one does not know.
func (a *App) Background() func(bellcord.SessionID) []bellcord.Process {
	if a.bus != nil {
		return nil
	}
	return a.background.List
}

// CloseEditor ends the tools, background commands and hosted agent of an
// editor's session. Its turns continue.
func (a *App) CloseEditor(id bellcord.SessionID) {
	a.tools.closeSession(id)
	a.background.End(id)
	a.agents.endHostedOf(id)
}

// CloseMCPServers closes the tools of the session's editor and ends the MCP
// servers that it named.
func (a *App) CloseMCPServers(id bellcord.SessionID) { a.tools.closeSession(id) }

// ReleaseSession does what CloseEditor does, and withdraws the permissions
// that were granted for the session.
func (a *App) ReleaseSession(id bellcord.SessionID) {
	a.policy.DropGrants(string(id))
	a.CloseEditor(id)
}

// SessionDeleted releases a deleted session, and removes the outputs of its
// background commands.
func (a *App) SessionDeleted(id bellcord.SessionID) {
	a.ReleaseSession(id)
	if err := a.background.Remove(id); err != nil {
		a.logger.Warn("could not remove the outputs of a deleted session", "session", id, "err", err)
	}
}

// WorkspacesDir returns the directory that contains the workspaces of sessions
// created without a directory.
func WorkspacesDir(data string) string {
	return realdir.Resolve(filepath.Join(absolute(data), "workspaces"))
}

// RemoveWorkspace removes the directory that was created for a deleted
// session. A directory that a user chose is kept.
func (a *App) RemoveWorkspace(s bellcord.Session) error {
	own := filepath.Join(WorkspacesDir(a.config.Settings.DataDir), string(s.ID))
	if s.ID == "" || filepath.Clean(s.Dir) != own {
		return nil
	}
	if _, err := os.Stat(own); err == nil {
		ctx, done := context.WithTimeout(context.Background(), CloseTimeout)
		defer done()
		if err := a.undo.Forget(ctx, own); err != nil {
			return fmt.Errorf("the session was deleted, but the bytes that were kept for undo were not: %w", err)
		}
	}
	if err := os.RemoveAll(own); err != nil {
		return fmt.Errorf("the session was deleted, but its workspace was not: %w", err)
	}
	return nil
}

// nativeAgent is the name of Bellcord's own agent in reports.
const nativeAgent = "bellcord"

// agentName returns the name of a session's agent.
func (a *App) agentName(id bellcord.SessionID) string {
	if a.Hub == nil {
		return nativeAgent
	}
	found, err := a.Hub.Session(context.Background(), id)
	if err != nil || found.Agent == "" {
		return nativeAgent
	}
	return found.Agent
}
