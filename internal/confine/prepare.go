package confine

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
	"github.com/bellcord/bellcord/proc"
)

// Prepared is a command with its sandbox and its proxy. It must be run or started
// once.
type Prepared struct {
	Sandbox *bellcord.Sandbox // nil if none is configured
	Online  bool              // it has the network of the machine

	keeper  *proc.Keeper
	command proc.Command
	wrapped *sandbox.Wrapped // nil without a sandbox
	policy  netproxy.Policy
	servers func() []netip.AddrPort // nil if the command reaches none

	session  bellcord.SessionID
	tmps     *TempDirs
	tmp      *tempDir // nil if the command has its own
	tmpBytes int64

	flooded atomic.Bool // the command asked for too many hosts

	cancel context.CancelFunc
	served sync.WaitGroup
}

// Prepare returns a command with its limits, in its sandbox.
func (p *Policy) Prepare(c Command) (*Prepared, error) {
	prepared := &Prepared{keeper: p.Keeper, command: c.Command}
	prepared.command.Limits = p.Limits
	if c.Kind == Shell {
		prepared.command.Limits.Disk = c.Dir
	}
	if !p.Sandboxed() {
		return prepared, nil
	}
	if c.Outside {
		prepared.Sandbox = &bellcord.Sandbox{Level: bellcord.SandboxNone}
		return prepared, nil
	}
	box, err := p.Open()
	if err == nil {
		err = p.allows(c.Dirs)
	}
	if err != nil {
		return nil, err
	}
	if c.Kind != Server && box.Confines() { // a server can create them itself
		p.createCaches()
	}
	profile := p.profile(c)
	if p.Tmp != nil && c.Session != "" && box.Confines() {
		if err := prepared.enterTmp(p, c.Session, &profile); err != nil {
			return nil, err
		}
	}
	prepared.Sandbox, prepared.Online = describe(box, profile), profile.Network == sandbox.On
	if prepared.wrapped, err = box.Wrap(profile, c.Args); err != nil {
		prepared.close()
		return nil, err
	}
	prepared.enter(box.Level())
	if prepared.wrapped.Listen != nil {
		prepared.servers = c.Servers
	}
	if profile.Network == sandbox.Proxy {
		prepared.policy = netproxy.Policy{Domains: p.Domains, Password: prepared.wrapped.ProxyPassword, Memory: p.memory(c.Session), Ask: c.Ask, Flooded: func() { prepared.flooded.Store(true) }}
	}
	return prepared, nil
}

// allows returns an error if a session's directory is one of Bellcord's own: the
// session's directories stay visible inside of what is hidden.
func (p *Policy) allows(dirs []string) error {
	for _, dir := range dirs {
		if real, err := filepath.EvalSymlinks(dir); err == nil { // otherwise Wrap returns the error
			dir = real
		}
		workspace := inside(p.Workspaces, filepath.Dir(dir))
		if !workspace && slices.ContainsFunc(p.Hide, func(own string) bool { return inside(own, dir) }) {
			return fmt.Errorf("%s belongs to Bellcord: commands cannot run there. Start a session in another directory", dir)
		}
	}
	return nil
}

// inside reports whether path is dir, or a path in it. dir may have symbolic links.
func inside(dir, path string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && contains(real, path)
}

// enterTmp lets the command see the /tmp of its session.
func (s *Prepared) enterTmp(p *Policy, id bellcord.SessionID, profile *sandbox.Profile) error {
	dir, err := p.Tmp.acquire(id)
	if err != nil {
		return err
	}
	s.session, s.tmps, s.tmp, s.tmpBytes = id, p.Tmp, dir, p.TmpBytes
	profile.Tmp, profile.VarTmp = dir.tmp(), dir.varTmp()
	return nil
}

// enter replaces the command by the one that starts it in the sandbox.
func (s *Prepared) enter(level sandbox.Level) {
	c := &s.command
	c.Helper = level == sandbox.Namespaces
	if c.Name == "" {
		c.Name = c.Args[0]
	}
	c.Args, c.Files, c.Status = s.wrapped.Args, s.wrapped.Files, s.wrapped.Status
	c.Env = append(c.Env[:len(c.Env):len(c.Env)], s.wrapped.Env...)
}

// Run runs the command like proc.Keeper.Run.
func (s *Prepared) Run(ctx context.Context, force <-chan struct{}) (proc.Exit, error) {
	defer s.close()
	s.serve(ctx)
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	s.watch(limited, func() { end(errTmpFull) })
	exit, err := s.keeper.Run(limited, s.command, force)
	if exit.How != proc.Exited && errors.Is(context.Cause(limited), errTmpFull) {
		exit.Limit = LimitTmp
	}
	return exit, err
}

var errTmpFull = errors.New("the session's /tmp is full")

// Flooded reports whether hosts were refused without a question, because the command
// asked for too many that nobody allowed.
func (s *Prepared) Flooded() bool { return s.flooded.Load() }

// watch calls full when the session's /tmp is full, until ctx ends.
func (s *Prepared) watch(ctx context.Context, full func()) {
	if s.tmp != nil && s.tmpBytes > 0 {
		s.served.Go(func() { watchTmp(ctx, s.tmp, s.tmpBytes, full) })
	}
}

// Start starts the command like proc.Keeper.Start.
func (s *Prepared) Start() (*proc.Running, error) {
	running, err := s.keeper.Start(s.command)
	if err != nil {
		s.close()
		return nil, err
	}
	s.serve(context.Background())
	ctx, end := context.WithCancel(context.Background())
	s.watch(ctx, func() { go running.End(nil) }) // close waits for the watch
	go func() {
		<-running.Done()
		end()
		s.close()
	}()
	return running, nil
}

// serve serves the proxy of the command until close is called.
func (s *Prepared) serve(ctx context.Context) {
	if s.wrapped == nil || s.wrapped.Listener == nil {
		return
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.served.Go(func() {
		listener, err := s.wrapped.Listener(ctx)
		if err != nil { // the command has ended before it had a network
			return
		}
		if s.servers != nil {
			s.served.Go(func() { s.forward(ctx) })
		}
		_ = netproxy.Serve(ctx, listener, s.policy)
	})
}

// close releases what belongs to the command, which has ended.
func (s *Prepared) close() {
	if s.cancel != nil {
		s.cancel()
	}
	if s.wrapped != nil {
		s.wrapped.Close()
	}
	s.served.Wait()
	if s.tmp != nil {
		s.tmps.release(s.session, s.tmp)
	}
}
