package netproxy

import (
	"context"
	"net"
	"sync"
)

// Forward accepts connections and connects each of them to an address, until ctx
// ends or the listener fails. It closes the listener and all connections. When it
// returns, all of its goroutines have ended.
func Forward(ctx context.Context, l net.Listener, address string) {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{conns: make(map[net.Conn]bool)}
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel() // before Wait
	all.Go(func() {
		<-ctx.Done()
		_ = l.Close()
		s.closeAll()
	})
	slots := make(chan struct{}, mostConnections)
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			_ = conn.Close()
			return
		}
		all.Go(func() {
			defer func() { <-slots }()
			s.join(ctx, conn, address)
		})
	}
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
