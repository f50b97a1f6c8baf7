package postgres_test

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy stands between a node and the database, and can do what networks do.
type proxy struct {
	listener net.Listener
	server   string

	mu      sync.Mutex
	flows   chan struct{} // closed while bytes flow
	swallow bool          // the next acknowledgement of a commit, and the connection with it
	cut     chan struct{} // closed when all is frozen because a transaction began; nil: no such order
	conns   []net.Conn
}

// through returns the place as it is seen through a new proxy.
func through(t *testing.T, place string) (string, *proxy) {
	t.Helper()
	u, err := url.Parse(with(t, place, "sslmode", "disable"))
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{server: u.Host, flows: make(chan struct{})}
	close(p.flows)
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	u.Host = p.listener.Addr().String()
	var all sync.WaitGroup
	all.Go(func() { p.accept(&all) })
	t.Cleanup(func() {
		_ = p.listener.Close()
		p.thaw()
		p.mu.Lock()
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		all.Wait()
	})
	return u.String(), p
}

func (p *proxy) accept(all *sync.WaitGroup) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		all.Go(func() { p.copy(server, client, false) })
		all.Go(func() { p.copy(client, server, true) })
	}
}

func (p *proxy) copy(to, from net.Conn, answers bool) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if answers {
			p.cutAt(buf[:n])
		}
		p.mu.Lock()
		flows := p.flows
		p.mu.Unlock()
		<-flows
		if answers && p.swallows(buf[:n]) {
			return
		}
		if _, bad := to.Write(buf[:n]); err != nil || bad != nil {
			return
		}
	}
}

// swallows reports whether an answer says that a commit was done, and is not to
// arrive.
func (p *proxy) swallows(answer []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.swallow || !bytes.Contains(answer, []byte("COMMIT\x00")) {
		return false
	}
	p.swallow = false
	return true
}

// cutAt freezes all when an answer says that a transaction has begun, where that
// is the order.
func (p *proxy) cutAt(answer []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut != nil && bytes.Contains(answer, []byte("BEGIN\x00")) {
		p.flows = make(chan struct{})
		close(p.cut)
		p.cut = nil
	}
}

// cutNext orders the next transaction to be frozen; the channel tells that it is.
func (p *proxy) cutNext() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	cut := make(chan struct{})
	p.cut = cut
	return cut
}

func (p *proxy) swallowNext() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.swallow = true
}

// freeze holds all bytes back, as a network that has gone away does; thaw lets
// them flow again.
func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flows = make(chan struct{})
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
