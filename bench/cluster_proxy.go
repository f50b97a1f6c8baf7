package main

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"
)

// nodeProxy is a TCP proxy in front of the nodes: it connects to any node that accepts. It does not
// interpret HTTP and does no health checks.
type nodeProxy struct {
	listener net.Listener

	mu    sync.Mutex
	nodes []string // host:port of each; "" while the node is down
}

func openNodeProxy(nodes []*clusterNode) (*nodeProxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &nodeProxy{listener: l, nodes: make([]string, len(nodes))}
	for i, n := range nodes {
		p.set(i, n.url)
	}
	go p.serve() // ends with the listener
	return p, nil
}

func (p *nodeProxy) url() string { return "http://" + p.listener.Addr().String() }

// set sets the address of a node.
func (p *nodeProxy) set(i int, url string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.nodes[i] = strings.TrimPrefix(url, "http://")
}

func (p *nodeProxy) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.carry(conn) // ends with either side
	}
}

// carry connects conn with a random node, or with the next one if that node is down.
func (p *nodeProxy) carry(conn net.Conn) {
	defer conn.Close()
	p.mu.Lock()
	nodes := append([]string(nil), p.nodes...)
	p.mu.Unlock()
	ctx, done := context.WithTimeout(context.Background(), 5*time.Second)
	defer done()
	first := rand.IntN(len(nodes))
	for i := range nodes {
		node, err := (&net.Dialer{}).DialContext(ctx, "tcp", nodes[(first+i)%len(nodes)])
		if err != nil {
			continue
		}
		defer node.Close()
		go func() {
			_, _ = io.Copy(node, conn) // the other direction reports a failure
			_ = node.(*net.TCPConn).CloseWrite()
		}()
		_, _ = io.Copy(conn, node)
		return
	}
}
