package fakemodel

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Pipe serves on connections that exist in memory only and returns a client
// whose requests all go there, whatever their host; "http://fake/v1" is the base
// URL to use. Every read and write is on a channel, so a synctest bubble sees
// when everyone waits. stop ends all goroutines, those of the client included.
func (s *Server) Pipe() (client *http.Client, stop func()) {
	ln := newPipeListener()
	run := s.start(ln)
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return ln.dial(ctx)
		},
		DisableCompression: true,
	}
	return &http.Client{Transport: transport}, func() {
		if err := run.Close(); err != nil {
			s.logger.Warn("pipe not closed cleanly", "error", err)
		}
		transport.CloseIdleConnections()
	}
}

// pipeListener hands one end of a net.Pipe to whoever accepts.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Accept waits for the next dial.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and all dials to come.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr is only there because net.Listener asks for it.
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "fake" }
