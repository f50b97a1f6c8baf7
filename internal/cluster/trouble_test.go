package cluster_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord/store"
)

// stuck is a store with commits that can be blocked.
type stuck struct {
	store.Store
	mu    sync.Mutex
	flows chan struct{} // closed while commits are not blocked
}

func newStuck() *stuck {
	s := &stuck{flows: make(chan struct{})}
	close(s.flows)
	return s
}

func (s *stuck) around(store store.Store) store.Store {
	s.Store = store
	return s
}

func (s *stuck) hang() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flows = make(chan struct{})
}

func (s *stuck) goOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.flows:
	default:
		close(s.flows)
	}
}

func (s *stuck) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	s.mu.Lock()
	flows := s.flows
	s.mu.Unlock()
	<-flows
	return s.Store.Commit(ctx, ops)
}

// narrow is the buffer size of a connection to a proxy. It is small, so that a
// writer blocks soon.
const narrow = 4 << 10

// narrowly dials connections with small buffers.
type narrowly struct{}

func (narrowly) Dial(network, address string) (net.Conn, error) {
	conn, err := net.Dial(network, address)
	if err == nil {
		err = conn.(*net.TCPConn).SetWriteBuffer(narrow)
	}
	return conn, err
}

// proxy forwards connections between a node and NATS. While frozen, it accepts
// connections and forwards nothing.
type proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	flows chan struct{} // closed while bytes are forwarded
	conns []net.Conn
}

// through starts a proxy for a server and returns its address.
func through(t *testing.T, server string) (string, *proxy) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, server: server, flows: make(chan struct{})}
	close(p.flows)
	var all sync.WaitGroup
	all.Go(func() { p.accept(&all) })
	t.Cleanup(func() {
		_ = listener.Close()
		p.thaw()
		p.mu.Lock()
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		all.Wait()
	})
	return listener.Addr().String(), p
}

func (p *proxy) accept(all *sync.WaitGroup) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		address := p.server
		p.mu.Unlock()
		server, err := net.Dial("tcp", address)
		if err != nil {
			_ = client.Close()
			continue
		}
		_ = client.(*net.TCPConn).SetReadBuffer(narrow)
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		all.Go(func() { p.copy(server, client) })
		all.Go(func() { p.copy(client, server) })
	}
}

// copy reads nothing while the proxy is frozen, so that writers block.
func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 4<<10)
	for {
		p.mu.Lock()
		flows := p.flows
		p.mu.Unlock()
		<-flows
		n, err := from.Read(buf)
		p.mu.Lock()
		flows = p.flows
		p.mu.Unlock()
		<-flows
		if _, bad := to.Write(buf[:n]); err != nil || bad != nil {
			return
		}
	}
}

// to forwards new connections to another server.
func (p *proxy) to(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = server
}

// dialled returns the number of accepted connections.
func (p *proxy) dialled() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns) / 2
}

func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flows = make(chan struct{})
}

// cut closes the connections and thaws.
func (p *proxy) cut() {
	p.mu.Lock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.thaw()
}

func (p *proxy) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.flows:
	default:
		close(p.flows)
	}
}

// mouth dials connections that can be made to discard everything written. They
// can still be read.
type mouth struct{ shut atomic.Bool }

func (m *mouth) Dial(network, address string) (net.Conn, error) {
	conn, err := net.Dial(network, address)
	return &muted{conn, m}, err
}

type muted struct {
	net.Conn
	mouth *mouth
}

func (c *muted) Write(p []byte) (int, error) {
	if c.mouth.shut.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}
