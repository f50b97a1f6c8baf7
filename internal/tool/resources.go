package tool

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool/command"
	"github.com/bellcord/bellcord/internal/tool/lsp"
	"github.com/bellcord/bellcord/proc"
)

// SessionResources keeps what outlives a call, until its session ends: background commands,
// which every receipt of the session lists, and outputs that were too long to
// return. It is safe for concurrent use.
type SessionResources struct {
	Dir string             // for outputs; contains a directory per session
	Env secret.Environment // of every command, in the background or not

	// Confine is the sandbox of commands; nil for none.
	Confine *confine.Policy

	// Servers are the language servers that check changed files; nil for none.
	Servers *lsp.Set

	known  knownFiles
	failed failedCommands // in the sandbox

	mu      sync.Mutex
	running map[bellcord.SessionID][]*kept
	files   map[bellcord.SessionID][]string
}

type kept struct {
	*proc.Running
	command string
	file    *os.File
	copied  sync.WaitGroup
}

// startCommand starts a background command and returns immediately.
func (y *SessionResources) startCommand(keeper *proc.Keeper, call shellCall) Result {
	dir := y.of(call.Session)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed(err)
	}
	file, err := os.CreateTemp(dir, "background-*.log")
	if err != nil {
		return failed(err)
	}
	log := &command.Log{File: file, Half: command.MostSpilt / 2}
	c := y.confined(call)
	c.Owner = string(call.Session)
	c.Output = func(data []byte) { _, _ = log.Write(data) }
	prepared, err := y.prepare(keeper, c)
	var running *proc.Running
	if err == nil {
		running, err = prepared.Start()
	}
	if err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
		return failed(err)
	}
	_ = running.Stdin.Close() // the command gets no input
	k := &kept{Running: running, command: call.Command, file: file}
	k.copied.Go(func() {
		_, _ = io.Copy(log, running.Stdout) // ends with the last process that can write
		_ = running.Stdout.Close()
	})
	y.mu.Lock()
	if y.running == nil {
		y.running = map[bellcord.SessionID][]*kept{}
	}
	y.running[call.Session] = append(y.running[call.Session], k)
	y.mu.Unlock()
	result := finished(fmt.Sprintf("[running in the background, pid %d, until end_command or the end of the session; read_file reads its output in %s]", running.PID, filepath.ToSlash(file.Name())))
	result.Sandbox = prepared.Sandbox
	return result
}

// of returns a session's directory.
func (y *SessionResources) of(session bellcord.SessionID) string {
	return filepath.Join(y.Dir, string(session))
}

// outputs returns the directory for a session's long outputs, or "" if outputs
// are not kept. The directory may not exist yet.
func (y *SessionResources) outputs(session bellcord.SessionID) string {
	if y.Dir == "" {
		return ""
	}
	return y.of(session)
}

// keep closes an output and records its file, if there is one, for removal by
// End.
func (y *SessionResources) keep(session bellcord.SessionID, s *command.Spill) {
	_ = s.Close()
	if s.Name() == "" {
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.files == nil {
		y.files = map[bellcord.SessionID][]string{}
	}
	y.files[session] = append(y.files[session], s.Name())
}

// contains reports whether path is an output of the session: of a long command,
// or of a background command.
func (y *SessionResources) contains(session bellcord.SessionID, path string) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	path = filepath.Clean(path)
	return slices.Contains(y.files[session], path) ||
		slices.ContainsFunc(y.running[session], func(k *kept) bool { return k.file.Name() == path })
}

// List returns the session's background commands that are still running.
func (y *SessionResources) List(session bellcord.SessionID) []bellcord.Process {
	y.mu.Lock()
	defer y.mu.Unlock()
	var all []bellcord.Process
	for _, k := range y.running[session] {
		select {
		case <-k.Done():
		default:
			all = append(all, bellcord.Process{PID: k.PID, Name: k.command, How: "running"})
		}
	}
	return all
}

// End ends a session's background commands, waits until they have ended, and
// removes its outputs. See proc.Running.End for how long this can take.
func (y *SessionResources) End(session bellcord.SessionID) {
	y.known.drop(session)
	y.failed.drop(session)
	y.Confine.Forget(session)
	y.mu.Lock()
	all, files := y.running[session], y.files[session]
	delete(y.running, session)
	delete(y.files, session)
	y.mu.Unlock()
	for _, name := range files {
		_ = os.Remove(name)
	}
	var ending sync.WaitGroup
	for _, k := range all {
		ending.Go(func() {
			k.End(nil)
			k.copied.Wait()
			_ = k.file.Close()
			_ = os.Remove(k.file.Name())
		})
	}
	ending.Wait()
	if session != "" {
		_ = os.Remove(y.of(session)) // fails if another process has outputs there
	}
}

// Remove ends a session's background commands and removes all outputs of the
// session, including those of other processes.
func (y *SessionResources) Remove(session bellcord.SessionID) error {
	y.End(session)
	if y.Dir == "" || session == "" || !filepath.IsLocal(string(session)) {
		return nil
	}
	return os.RemoveAll(y.of(session))
}

// EndAll calls End for every session.
func (y *SessionResources) EndAll() {
	y.mu.Lock()
	sessions := map[bellcord.SessionID]bool{}
	for id := range y.running {
		sessions[id] = true
	}
	for id := range y.files {
		sessions[id] = true
	}
	y.mu.Unlock()
	for id := range sessions {
		y.End(id)
	}
}
