package postgres_test

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy forwards connections between a node and the database and simulates
// network failures.
type proxy struct {
	listener net.Listener
	server   string

	mu      sync.Mutex
	flows   chan struct{} // closed while bytes flow
	swallow bool          // drop the next acknowledgement of a commit and close its connection
	cut     chan struct{} // closed when the proxy froze at the start of a transaction; nil if not requested
	conns   []net.Conn
	trips   int // answers of the database inside a transaction
}

// through returns the URL of the place through a new proxy.
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
			p.count(buf[:n])
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

// swallows reports whether an answer is a commit's acknowledgement that must be
// dropped.
func (p *proxy) swallows(answer []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.swallow || !bytes.Contains(answer, []byte("COMMIT\x00")) {
		return false
	}
	p.swallow = false
	return true
}

// cutAt freezes the proxy if that was requested and an answer shows that a
// transaction has begun.
func (p *proxy) cutAt(answer []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut != nil && bytes.Contains(answer, []byte("BEGIN\x00")) {
		p.flows = make(chan struct{})
		close(p.cut)
		p.cut = nil
	}
}

// count counts the round trips inside of transactions, by the message that ends
// each answer.
func (p *proxy) count(answer []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, state := range []string{"T", "E"} { // in a transaction, and in one that has failed
		p.trips += bytes.Count(answer, []byte("Z\x00\x00\x00\x05"+state))
	}
}

// counted returns the number of round trips so far.
func (p *proxy) counted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trips
}

// cutNext freezes the proxy at the start of the next transaction. The channel is
// closed when that has happened.
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

// freeze holds back all bytes, like a network that is down. thaw ends that.
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
