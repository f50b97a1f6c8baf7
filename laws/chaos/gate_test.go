//go:build linux

package chaos_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// passage is the state of a gate.
type passage int

const (
	open  passage = iota
	shut          // connections are reset, including new ones
	hole          // connections stay open, but no data is forwarded, as in a network partition
	muted         // requests are forwarded and responses are not: a commit takes effect without an acknowledgement
)

// gate is a proxy between one node and one server.
type gate struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	state   passage
	changed chan struct{} // closed and replaced when state changes
	conns   map[net.Conn]bool
}

func newGate(t *testing.T, target string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{listener: l, target: target, changed: make(chan struct{}), conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() { g.accept(&all) })
	t.Cleanup(func() {
		_ = l.Close()
		g.set(shut)
		all.Wait()
	})
	return g
}

func (g *gate) port() int { return g.listener.Addr().(*net.TCPAddr).Port }

// set changes the state. shut resets the existing connections.
func (g *gate) set(state passage) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state = state
	close(g.changed)
	g.changed = make(chan struct{})
	if state == shut {
		for conn := range g.conns {
			reset(conn)
		}
	}
}

// reset closes a connection with a TCP reset, as a crashed machine does.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (g *gate) accept(all *sync.WaitGroup) {
	for {
		client, err := g.listener.Accept()
		if err != nil {
			return
		}
		if !g.keep(client) {
			continue
		}
		all.Go(func() { g.connect(client) })
	}
}

// keep registers a connection. It returns false if the gate is shut.
func (g *gate) keep(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.state == shut {
		reset(conn)
		return false
	}
	g.conns[conn] = true
	return true
}

func (g *gate) remove(conns ...net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, conn := range conns {
		delete(g.conns, conn)
		reset(conn)
	}
}

// connect proxies one connection until it ends.
func (g *gate) connect(client net.Conn) {
	defer g.remove(client)
	if !g.waitFor(open, muted) {
		return
	}
	server, err := net.Dial("tcp", g.target)
	if err != nil || !g.keep(server) {
		return
	}
	defer g.remove(server)
	var both sync.WaitGroup
	both.Go(func() { g.carry(client, server, open); reset(client); reset(server) })
	both.Go(func() { g.carry(server, client, open, muted); reset(client); reset(server) })
	both.Wait()
}

// carry forwards bytes while the gate is in one of the states, and blocks
// otherwise.
func (g *gate) carry(to io.Writer, from io.Reader, through ...passage) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if !g.waitFor(through...) {
			return
		}
		if _, bad := to.Write(buf[:n]); err != nil || bad != nil {
			return
		}
	}
}

// waitFor blocks until the gate is in one of the states. It returns false when
// the gate is shut.
func (g *gate) waitFor(states ...passage) bool {
	for {
		g.mu.Lock()
		state, changed := g.state, g.changed
		g.mu.Unlock()
		if state == shut {
			return false
		}
		for _, s := range states {
			if s == state {
				return true
			}
		}
		<-changed
	}
}

// gates are a node's gates to all servers of one engine; they change together.
type gates []*gate

func (all gates) set(state passage) {
	for _, g := range all {
		g.set(state)
	}
}
