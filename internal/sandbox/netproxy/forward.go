package netproxy

import (
	"context"
	"net"
)

// Forward accepts connections and connects each of them to an address, until ctx
// ends or the listener fails. It closes the listener and all connections. When it
// returns, all of its goroutines have ended.
func Forward(ctx context.Context, l net.Listener, address string) {
	s := &server{conns: make(map[net.Conn]bool)}
	_ = s.accept(ctx, l, func(ctx context.Context, conn net.Conn) { s.join(ctx, conn, address) }) // the listener is closed in any case
}

// join connects a client to an address, and copies bytes in both directions.
func (s *server) join(ctx context.Context, from net.Conn, address string) {
	if !s.add(from) {
		return
	}
	defer s.remove(from)
	to, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil || !s.add(to) {
		return
	}
	defer s.remove(to)
	active := newActivity()
	down := relayed{from, active}
	copyBoth(down, down, relayed{to, active})
}
