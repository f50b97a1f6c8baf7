package confine

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
)

// lookout is how often the ports of background commands are looked for.
const lookout = 200 * time.Millisecond

// forward lets the command reach the ports of background commands on its own
// loopback device, until ctx ends: those that are open when it starts, and those
// that open later.
func (s *Prepared) forward(ctx context.Context) {
	tick := time.NewTicker(lookout)
	defer tick.Stop()
	known := map[int]bool{}
	for first := true; ; first = false {
		for _, port := range s.servers() {
			if !known[port] {
				known[port] = true // if it fails, the command uses the port itself
				s.forwardPort(ctx, port)
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

func (s *Prepared) forwardPort(ctx context.Context, port int) {
	listener, err := s.wrapped.Listen(port)
	if err != nil {
		return
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	s.served.Go(func() { netproxy.Forward(ctx, listener, address) })
}
