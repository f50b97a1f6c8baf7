package fakemodel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// closingKey finds, in a request's context, the channel that is closed when the
// server is: such a request must not be recorded as left by its client.
type closingKey struct{}

// Running is a Server that listens.
type Running struct {
	server  *http.Server
	closing chan struct{}
	served  chan error
	conns   sync.WaitGroup
	close   func() error
}

// Listen serves on a real TCP address; without a host it is the loopback one,
// and "" picks a free port. The base URL ends in /v1.
func (s *Server) Listen(addr string) (*Running, string, error) {
	if addr == "" {
		addr = ":0"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, "", fmt.Errorf("listen for the fake model: %w", err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, "", fmt.Errorf("listen for the fake model: %w", err)
	}
	return s.start(ln), "http://" + ln.Addr().String() + "/v1", nil
}

// Close breaks off all replies and returns when every connection and handler is
// gone. Calling it again does nothing more.
func (r *Running) Close() error {
	return r.close()
}

func (s *Server) start(ln net.Listener) *Running {
	run := &Running{closing: make(chan struct{}), served: make(chan error, 1)}
	run.close = sync.OnceValue(run.shut)
	run.server = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
		ConnState:         run.track,
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), closingKey{}, run.closing)
		},
	}
	go func() { run.served <- run.server.Serve(ln) }()
	return run
}

// track counts connections, because http.Server.Close does not wait for them.
// HTTP/1 handlers run on their connection's goroutine and are counted with it.
func (r *Running) track(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		r.conns.Add(1)
		// A connection accepted during Close escapes http.Server.Close and
		// would be waited for in vain.
		if isClosed(r.closing) {
			_ = conn.Close()
		}
	case http.StateClosed, http.StateHijacked:
		r.conns.Done()
	case http.StateActive, http.StateIdle:
	}
}

func (r *Running) shut() error {
	// This has to be said before the connections break, or the handlers would
	// take the break for the client's.
	close(r.closing)
	err := r.server.Close()
	if served := <-r.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	r.conns.Wait()
	if err != nil {
		return fmt.Errorf("close the fake model: %w", err)
	}
	return nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
