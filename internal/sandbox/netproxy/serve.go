// Package netproxy is an HTTP proxy for commands that have no other network. It
// connects to the hosts that a policy allows, and asks about others.
//
// It supports CONNECT, for TLS and other protocols, and plain requests with an
// absolute URL of the scheme http. Each connection of a client carries one
// request. A name is resolved only after its host was allowed, and the address
// that is really dialed is checked: hosts that resolve to this machine, a private
// network or a metadata service are refused. The proxy does not look into
// tunnels: a client can send other names to an allowed host's address in TLS.
package netproxy

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// The limits for clients.
const (
	mostConnections         = 256
	mostHeaderBytes         = 64 << 10
	mostResponseHeaderBytes = 256 << 10
	headerTimeout           = 10 * time.Second // to send a request's header; to take a short answer
	idleTimeout             = 10 * time.Minute // without a byte in either direction
	mostAnswers             = 1000
)

// MostRefused is the number of hosts that one call of Serve asks about without an
// answer that allows them. Further hosts are refused without a question.
const MostRefused = 20

// server is one call of Serve or Forward.
type server struct {
	policy Policy

	mu      sync.Mutex
	closed  bool
	conns   map[net.Conn]bool // of clients and hosts
	answers map[string]bool   // hosts that were allowed or refused, for all later requests
	asked   map[string]bool   // hosts that were asked about, and were not allowed so far
}

// Serve accepts connections until ctx ends, and returns nil then, or until the
// listener fails, and returns the error. It closes the listener and all
// connections. When it returns, all of its goroutines have ended.
func Serve(ctx context.Context, l net.Listener, p Policy) error {
	if p.Memory == nil {
		p.Memory = new(Memory)
	}
	s := &server{policy: p, conns: make(map[net.Conn]bool), answers: make(map[string]bool), asked: make(map[string]bool)}
	return s.accept(ctx, l, s.serve)
}

// accept accepts connections and handles each in a goroutine, as Serve describes.
func (s *server) accept(ctx context.Context, l net.Listener, handle func(context.Context, net.Conn)) error {
	ctx, cancel := context.WithCancel(ctx)
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
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		all.Go(func() {
			defer func() { <-slots }()
			handle(ctx, conn)
		})
	}
}

// add registers a connection, which is closed when accept ends. It returns false,
// and closes the connection, if that has happened.
func (s *server) add(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return false
	}
	s.conns[conn] = true
	return true
}

func (s *server) remove(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
	_ = conn.Close()
}

func (s *server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for conn := range s.conns {
		_ = conn.Close()
	}
}

// dial connects to a host that is allowed.
func (s *server) dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := s.policy.dialer().Dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if !s.add(conn) {
		return nil, errors.New("the proxy is closed")
	}
	return conn, nil
}
