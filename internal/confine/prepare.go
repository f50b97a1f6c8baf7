package confine

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
	"github.com/bellcord/bellcord/proc"
)

// Prepared is a command with its sandbox and its proxy. It must be run or started
// once.
type Prepared struct {
	Sandbox *bellcord.Sandbox // nil if none is configured

	keeper  *proc.Keeper
	command proc.Command
	wrapped *sandbox.Wrapped // nil without a sandbox
	policy  netproxy.Policy
	servers func() []int // nil if the command reaches none

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
	if err != nil {
		return nil, err
	}
	profile := p.profile(c)
	prepared.Sandbox = describe(box, profile)
	if prepared.wrapped, err = box.Wrap(profile, c.Args); err != nil {
		return nil, err
	}
	prepared.enter(box.Level())
	if prepared.wrapped.Listen != nil {
		prepared.servers = c.Servers
	}
	if profile.Network == sandbox.Proxy {
		prepared.policy = netproxy.Policy{Domains: p.Domains, Password: prepared.wrapped.ProxyPassword, Memory: p.memory(c.Session), Ask: c.Ask}
	}
	return prepared, nil
}

// enter replaces the command by the one that starts it in the sandbox.
func (s *Prepared) enter(level sandbox.Level) {
	c := &s.command
	c.Helper = level == sandbox.Namespaces
	if c.Name == "" {
		c.Name = c.Args[0]
	}
	c.Args, c.Files = s.wrapped.Args, s.wrapped.Files
	c.Env = append(c.Env[:len(c.Env):len(c.Env)], s.wrapped.Env...)
}

// Run runs the command like proc.Keeper.Run.
func (s *Prepared) Run(ctx context.Context, force <-chan struct{}) (proc.Exit, error) {
	defer s.close()
	s.serve(ctx)
	return s.keeper.Run(ctx, s.command, force)
}

// Start starts the command like proc.Keeper.Start.
func (s *Prepared) Start() (*proc.Running, error) {
	running, err := s.keeper.Start(s.command)
	if err != nil {
		s.close()
		return nil, err
	}
	s.serve(context.Background())
	go func() {
		<-running.Done()
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
}
