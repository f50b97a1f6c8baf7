package tool

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/proc"
)

// Yard keeps what outlives a call until its session ends: commands that were
// declared to run in the background, which every receipt of the session lists,
// and outputs that were too long to return.
type Yard struct {
	Dir string             // for outputs, a directory for each session
	Env secret.Environment // of every command, in the background or not

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

// startCommand begins a command and returns at once.
func (y *Yard) startCommand(keeper *proc.Keeper, call Call, command string) Result {
	dir := y.of(call.Session)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed(err)
	}
	file, err := os.CreateTemp(dir, "background-*.log")
	if err != nil {
		return failed(err)
	}
	log := &backgroundLog{file: file, half: mostSpilt / 2}
	running, err := keeper.Start(proc.Command{
		Args: interpreter(command), Dir: call.Dir, Name: command, Owner: string(call.Session),
		Env: y.Env.Pairs(), Bare: true,
		Output: func(data []byte) { _, _ = log.Write(data) },
	})
	if err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
		return failed(err)
	}
	_ = running.Stdin.Close() // nobody will say anything to it
	k := &kept{Running: running, command: command, file: file}
	k.copied.Go(func() {
		_, _ = io.Copy(log, running.Stdout) // ends with the last process that could write
		_ = running.Stdout.Close()
	})
	y.mu.Lock()
	if y.running == nil {
		y.running = map[bellcord.SessionID][]*kept{}
	}
	y.running[call.Session] = append(y.running[call.Session], k)
	y.mu.Unlock()
	return finished(fmt.Sprintf("[running in the background, pid %d, until the session ends; output in %s]", running.PID, filepath.ToSlash(file.Name())))
}

// of is a session's directory.
func (y *Yard) of(session bellcord.SessionID) string { return filepath.Join(y.Dir, string(session)) }

// outputs is where a session's long outputs go; "" when there is no such place.
// The directory is made for the first one.
func (y *Yard) outputs(session bellcord.SessionID) string {
	if y.Dir == "" {
		return ""
	}
	return y.of(session)
}

// keep remembers an output's file, if there is one.
func (y *Yard) keep(session bellcord.SessionID, s *spill) {
	_ = s.closeFile()
	if s.name() == "" {
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.files == nil {
		y.files = map[bellcord.SessionID][]string{}
	}
	y.files[session] = append(y.files[session], s.name())
}

// List returns a session's background commands that still run.
func (y *Yard) List(session bellcord.SessionID) []bellcord.Process {
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

// End ends a session's background commands and removes its outputs.
func (y *Yard) End(session bellcord.SessionID) {
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
		_ = os.Remove(y.of(session)) // fails where another process has outputs there
	}
}

// Remove ends a session's background commands and removes every output of the
// session, those that another process left too.
func (y *Yard) Remove(session bellcord.SessionID) error {
	y.End(session)
	if y.Dir == "" || session == "" || !filepath.IsLocal(string(session)) {
		return nil
	}
	return os.RemoveAll(y.of(session))
}

// EndAll ends every session's.
func (y *Yard) EndAll() {
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
