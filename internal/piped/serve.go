package piped

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

// Running is a running HTTP server. Its Close waits for every connection,
// unlike http.Server.Close.
type Running struct {
	server  *http.Server
	closing chan struct{}
	served  chan error
	conns   sync.WaitGroup
	close   func() error
}

// ListenTCP listens on a TCP address. An address without a host means loopback,
// and "" also selects a free port.
func ListenTCP(addr string) (net.Listener, error) {
	if addr == "" {
		addr = ":0"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort(host, port))
}

// Serve serves handler on ln in a new goroutine. Close calls after, unless it
// is nil, once all connections are closed.
func Serve(ln net.Listener, handler http.Handler, logger *slog.Logger, after func()) *Running {
	run := &Running{closing: make(chan struct{}), served: make(chan error, 1)}
	run.close = sync.OnceValue(func() error {
		err := run.shut()
		if after != nil {
			after()
		}
		return err
	})
	run.server = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		ConnState:         run.track,
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), closingKey{}, run.closing)
		},
	}
	go func() { run.served <- run.server.Serve(ln) }()
	return run
}

// Pipe serves handler on in-memory connections. All requests of the client go
// there, whatever their host. stop closes the server and ends all goroutines,
// including the client's.
func Pipe(handler http.Handler, logger *slog.Logger, after func()) (client *http.Client, stop func()) {
	ln := Listen()
	run := Serve(ln, handler, logger, after)
	transport := &http.Transport{DialContext: ln.DialContext, DisableCompression: true}
	return &http.Client{Transport: transport}, func() {
		if err := run.Close(); err != nil {
			logger.Warn("pipe not closed cleanly", "err", err)
		}
		transport.CloseIdleConnections()
	}
}

// Close ends all requests and returns once every connection is closed and every
// handler has returned. Later calls return the same result.
func (r *Running) Close() error { return r.close() }

type closingKey struct{}

// Closing reports whether the server of a request is being closed. If it is,
// the end of the request was not caused by the client.
func Closing(r *http.Request) bool {
	closing, ok := r.Context().Value(closingKey{}).(chan struct{})
	return ok && isClosed(closing)
}

// track counts connections. HTTP/1 handlers run on their connection's goroutine
// and are counted with it.
func (r *Running) track(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		r.conns.Add(1)
		// http.Server.Close misses a connection that is accepted during the
		// call, and shut would wait for it forever.
		if isClosed(r.closing) {
			_ = conn.Close()
		}
	case http.StateClosed, http.StateHijacked:
		r.conns.Done()
	case http.StateActive, http.StateIdle:
	}
}

func (r *Running) shut() error {
	// closing is closed before the connections are. Otherwise a handler would
	// attribute their end to the client.
	close(r.closing)
	err := r.server.Close()
	if served := <-r.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	r.conns.Wait()
	if err != nil {
		return fmt.Errorf("closing the server: %w", err)
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
