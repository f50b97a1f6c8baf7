package confine

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
)

// lookout is how often background commands that listen are looked for.
const lookout = 200 * time.Millisecond

// forward lets the command reach background commands on its own loopback device, at
// the same port, until ctx ends: those that listen when it starts, and those that
// listen later.
func (s *Prepared) forward(ctx context.Context) {
	tick := time.NewTicker(lookout)
	defer tick.Stop()
	known := map[uint16]bool{}
	for first := true; ; first = false {
		for _, server := range s.servers() {
			if port := server.Port(); !known[port] {
				known[port] = true // if it fails, the command uses the port itself
				s.forwardTo(ctx, server)
			}
		}
		if first {
			s.wrapped.Ready()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Prepared) forwardTo(ctx context.Context, server netip.AddrPort) {
	listener, err := s.wrapped.Listen(int(server.Port()))
	if err != nil {
		return
	}
	still := func() bool { return slices.Contains(s.servers(), server) }
	s.served.Go(func() { netproxy.Forward(ctx, checkedListener{listener, still}, server.String()) })
}

// checkedListener closes connections for a server that no longer listens. Another
// process of the machine may have its address by then.
type checkedListener struct {
	net.Listener
	still func() bool
}

// Accept implements net.Listener.
func (l checkedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil || l.still() {
			return conn, err
		}
		_ = conn.Close()
	}
}
