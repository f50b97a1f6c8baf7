package fakegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/piped"
)

// Running is a Server that listens.
type Running struct {
	server  *http.Server
	closing chan struct{}
	served  chan error
	conns   sync.WaitGroup
	close   func() error
}

// Listen serves on a real TCP address of this machine; without a host it is the
// loopback one, and "" picks a free port. Other addresses are refused: whoever
// reaches the page can be anyone in every chat. The URL has no slash at its end.
func (s *Server) Listen(addr string) (*Running, string, error) {
	if addr == "" {
		addr = ":0"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, "", fmt.Errorf("listen for the fake Telegram: %w", err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !loopback(host) {
		return nil, "", fmt.Errorf("listen for the fake Telegram: %s is not this machine alone", host)
	}
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, "", fmt.Errorf("listen for the fake Telegram: %w", err)
	}
	return s.start(ln), "http://" + ln.Addr().String(), nil
}

// Pipe serves on connections that exist in memory only and returns a client
// whose requests all go there, whatever their host; "http://fake" is the URL to
// use. stop ends all goroutines, those of the client and of a webhook included.
func (s *Server) Pipe() (client *http.Client, stop func()) {
	ln := piped.Listen()
	run := s.start(ln)
	transport := &http.Transport{DialContext: ln.DialContext, DisableCompression: true}
	return &http.Client{Transport: transport}, func() {
		if err := run.Close(); err != nil {
			s.logger.Warn("pipe not closed cleanly", "err", err)
		}
		transport.CloseIdleConnections()
	}
}

// Close breaks off all answers, takes the webhook away and returns when every
// connection and handler is gone. Calling it again does nothing more.
func (r *Running) Close() error {
	return r.close()
}

func (s *Server) start(ln net.Listener) *Running {
	run := &Running{closing: make(chan struct{}), served: make(chan error, 1)}
	run.close = sync.OnceValue(func() error {
		err := run.shut()
		s.change(func(time.Time) { s.unhook() })
		s.posting.Wait()
		return err
	})
	run.server = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
		ConnState:         run.track,
	}
	go func() { run.served <- run.server.Serve(ln) }()
	return run
}

// track counts connections, because http.Server.Close does not wait for them.
func (r *Running) track(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		r.conns.Add(1)
		select {
		case <-r.closing: // http.Server.Close does not know this one
			_ = conn.Close()
		default:
		}
	case http.StateClosed, http.StateHijacked:
		r.conns.Done()
	case http.StateActive, http.StateIdle:
	}
}

func (r *Running) shut() error {
	close(r.closing)
	err := r.server.Close()
	if served := <-r.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	r.conns.Wait()
	if err != nil {
		return fmt.Errorf("close the fake Telegram: %w", err)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
