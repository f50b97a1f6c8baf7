package confine

import (
	"context"
	"sync"

	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
)

// confined is a command that is started in a sandbox, with its proxy.
type confined struct {
	wrapped *sandbox.Wrapped // nil without a sandbox
	policy  netproxy.Policy

	cancel context.CancelFunc
	served sync.WaitGroup
}

// wrap replaces a command by one that starts it in the sandbox, with limits.
func (p *Policy) wrap(c *Command) (*confined, error) {
	c.Limits = p.Limits
	if c.Kind == Shell {
		c.Limits.Disk = c.Dir
	}
	if p.Open == nil || c.Outside {
		return &confined{}, nil
	}
	box, err := p.Open()
	if err != nil {
		return nil, err
	}
	profile := p.profile(*c)
	wrapped, err := box.Wrap(profile, c.Args)
	if err != nil {
		return nil, err
	}
	if c.Name == "" {
		c.Name = c.Args[0]
	}
	c.Args, c.Files = wrapped.Args, wrapped.Files
	c.Env = append(c.Env[:len(c.Env):len(c.Env)], wrapped.Env...)
	started := &confined{wrapped: wrapped}
	if profile.Network == sandbox.Proxy {
		started.policy = netproxy.Policy{Domains: p.Domains, Password: wrapped.ProxyPassword, Memory: p.memory(c.Session), Ask: c.Ask}
	}
	return started, nil
}

// serve serves the proxy of the command until close is called.
func (s *confined) serve(ctx context.Context) {
	if s.wrapped == nil || s.wrapped.Listener == nil {
		return
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.served.Go(func() {
		listener, err := s.wrapped.Listener(ctx)
		if err != nil { // the command has ended before it had a network
			return
		}
		_ = netproxy.Serve(ctx, listener, s.policy)
	})
}

// close releases what belongs to the command, which has ended.
func (s *confined) close() {
	if s.cancel != nil {
		s.cancel()
	}
	if s.wrapped != nil {
		s.wrapped.Close()
	}
	s.served.Wait()
}
