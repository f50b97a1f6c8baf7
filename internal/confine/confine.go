// Package confine starts commands in the sandbox that the settings and the mode
// of a session determine, with the limits of the settings.
package confine

import (
	"context"
	"net/netip"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
	"github.com/bellcord/bellcord/proc"
)

// Policy determines how commands are confined. All methods are safe for
// concurrent use.
type Policy struct {
	Keeper *proc.Keeper
	Open   func() (*sandbox.Box, error) // returns the machine's sandbox; nil if none is configured
	// Required means that no command of a session runs without the sandbox.
	Required bool
	Limits   proc.Limits // of every command

	Hide    []string // files and directories that no command can see
	Secrets []string // that commands of the shell tool cannot see either
	Show    []string // paths in Secrets or in a hidden home directory that they see nevertheless
	Write   []string // directories that every command may write
	// Workspaces is a directory inside Hide. Sessions may work below it, and in no
	// other directory of Hide.
	Workspaces string
	Home       string   // of this user
	Tools      []string // if set, the only paths in Home that commands of the shell tool see, in addition to those of the other lists
	Caches     []string // of Write, below Home: created if they are missing
	Network    sandbox.Network
	Domains    []string
	TmpBytes   int64
	Tmp        *TempDirs // nil: each command has its own /tmp, in memory

	once    sync.Once
	targets map[string]string // see target
	mu      sync.Mutex
	allowed map[bellcord.SessionID]*netproxy.Memory
}

// Kind is what a command is started for.
type Kind int

// The kinds of commands.
const (
	Shell  Kind = iota // a command of the model
	Server             // an MCP server
	Agent              // a hosted agent
)

// Command is a command to start.
type Command struct {
	proc.Command
	Kind    Kind
	Session bellcord.SessionID
	Full    bool     // the session's mode requires no approval
	Dirs    []string // the session's directories
	Home    string   // of a hosted agent

	// Background is set for a command that runs until its session ends. It has
	// the network of the machine, unless commands have none: it is a server that
	// others connect to.
	Background bool
	// Servers returns the addresses at which the session's background commands
	// listen. The command reaches them at the same ports of 127.0.0.1. Nil means none.
	Servers func() []netip.AddrPort

	// Outside starts the command without the sandbox.
	Outside bool
	// Ask asks whether the command may reach a host. Nil: it may not.
	Ask func(ctx context.Context, host string) (netproxy.Answer, error)
}

// Run runs a command like proc.Keeper.Run.
func (p *Policy) Run(ctx context.Context, c Command, force <-chan struct{}) (proc.Exit, error) {
	prepared, err := p.Prepare(c)
	if err != nil {
		return proc.Exit{}, err
	}
	return prepared.Run(ctx, force)
}

// Start starts a command like proc.Keeper.Start.
func (p *Policy) Start(c Command) (*proc.Running, error) {
	prepared, err := p.Prepare(c)
	if err != nil {
		return nil, err
	}
	return prepared.Start()
}

// Sandboxed reports whether a sandbox is configured. p may be nil.
func (p *Policy) Sandboxed() bool { return p != nil && p.Open != nil }

// Confines reports whether commands run in a sandbox: one is configured, and the
// machine has one. p may be nil.
func (p *Policy) Confines() bool {
	if !p.Sandboxed() {
		return false
	}
	box, err := p.Open()
	return err == nil && box.Confines()
}

// WidensInBackground reports whether a command reaches more of the network in the
// background than otherwise. p may be nil.
func (p *Policy) WidensInBackground() bool {
	return p.Confines() && p.Network != sandbox.On && p.Network != sandbox.Off
}

// Describe returns how a command would be confined; nil if no sandbox is
// configured.
func (p *Policy) Describe(c Command) *bellcord.Sandbox {
	if !p.Sandboxed() {
		return nil
	}
	box, err := p.Open()
	switch {
	case err != nil:
		return nil
	case c.Outside:
		return &bellcord.Sandbox{Level: bellcord.SandboxNone}
	}
	return describe(box, p.profile(c))
}

func describe(box *sandbox.Box, profile sandbox.Profile) *bellcord.Sandbox {
	return &bellcord.Sandbox{Level: bellcord.SandboxLevel(box.Level()), Gaps: box.Gaps(profile)}
}

// Forget drops what belongs to a session that has ended: the hosts that were allowed
// for it, and its /tmp.
func (p *Policy) Forget(id bellcord.SessionID) {
	if p == nil {
		return
	}
	if p.Tmp != nil {
		p.Tmp.End(id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.allowed, id)
}

// memory returns the hosts that were allowed for a session.
func (p *Policy) memory(id bellcord.SessionID) *netproxy.Memory {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.allowed == nil {
		p.allowed = map[bellcord.SessionID]*netproxy.Memory{}
	}
	if p.allowed[id] == nil {
		p.allowed[id] = &netproxy.Memory{}
	}
	return p.allowed[id]
}
