package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/systemd"
)

// errTakenForDead is returned by a node after its lease has expired. After a
// restart it is a new node.
var errTakenForDead = errors.New("the lease of this node expired; the other nodes consider it dead and have ended its turns")

// Run serves until it receives a signal, a listener fails, the node's lease
// expires or the store's schema is newer than this program. Then it shuts
// down: running turns may finish for the configured time. A second signal
// stops them immediately. ready, if set, is called with the address when
// requests are accepted.
func (s *Server) Run(signals <-chan os.Signal, ready func(url string)) error {
	public := s.web.Handler()
	if s.telegram != nil {
		public = s.telegram.handler(public)
	}
	network, local := s.newHTTP(public), s.newHTTP(s.web.Socket())
	local.ConnContext = s.web.SocketContext
	broken := make(chan error, 3)
	go serveOn(network, s.tcp, s.settings.Serve.TLSCert, s.settings.Serve.TLSKey, broken)
	if s.socket != nil {
		go serveOn(local, s.socket, "", "", broken)
	}
	living, endLife := context.WithCancel(context.Background())
	defer endLife()
	go s.closeIdleSessions(living)
	go s.ignoreHangups(living)
	var logged sync.WaitGroup
	defer logged.Wait()
	logged.Go(s.app.LogSandbox) // the search takes some milliseconds
	go systemd.Watchdog(living, s.logger, s.healthy)
	if s.telegram != nil {
		s.telegram.listen(living, broken)
	}
	s.logger.Info("serving", "url", s.url(), "data", s.settings.DataDir, "version", s.version)
	if ready != nil {
		ready(s.url())
	}
	s.notifySystemd("READY=1")

	var err error
	select {
	case <-signals:
	case <-s.app.Hub.Fenced():
		err = errTakenForDead
	case <-s.app.Outdated():
		err = s.app.OutdatedError()
	case err = <-broken:
	}
	return errors.Join(err, s.shutdown(signals, network, local))
}

// Close closes a server that was opened and will not run.
func (s *Server) Close() error { return s.shutdown(nil) }

// ignoreHangups logs SIGHUP and ignores it: settings are only read at the
// start, and a closed terminal must not stop a server that others use.
func (s *Server) ignoreHangups(ctx context.Context) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			s.logger.Info("SIGHUP ignored; to read changed settings, restart the server (SIGTERM lets running turns finish)")
		}
	}
}

// serveOn serves on a listener until the server is closed. Any other error is
// sent to broken.
func serveOn(server *http.Server, l net.Listener, cert, key string, broken chan<- error) {
	var err error
	if cert != "" {
		err = server.ServeTLS(l, cert, key)
	} else {
		err = server.Serve(l)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		broken <- err
	}
}

// shutdown accepts no more turns, lets running ones finish for the configured
// time, and stops the rest. When all have settled, it closes the event
// streams, then the listeners, and finally the App. A second signal stops
// turns immediately.
func (s *Server) shutdown(signals <-chan os.Signal, servers ...*http.Server) error {
	s.notifySystemd("STOPPING=1")
	stop := bellcord.StopRequest{Queue: bellcord.QueueDrop, Cause: bellcord.Cause{Kind: bellcord.CauseShutdown, By: "signal", Source: "serve"}}
	if err := s.app.OutdatedError(); err != nil {
		stop.Cause.By, stop.Cause.Reason = "upgrade", err.Error()
	}
	if s.telegram != nil {
		s.telegram.stopListening()
	}
	s.app.AnnounceLeave()
	finishing, done := context.WithTimeout(context.Background(), time.Duration(s.settings.Serve.ShutdownGrace))
	finished := make(chan error, 1)
	go func() { finished <- s.app.Hub.WaitForTurns(finishing) }()
	select {
	case <-finished:
	case <-signals:
		stop.Mode = bellcord.StopForce
	}
	done()
	bounded, doneStopping := context.WithTimeout(context.Background(), app.CloseTimeout)
	defer doneStopping()
	answers, err := s.app.Hub.Stop(stop).Wait(bounded)
	s.logger.Info("shutting down", "stopped", len(answers), "forced", stop.Mode == bellcord.StopForce)
	if s.telegram != nil {
		err = errors.Join(err, s.telegram.shutDown())
	}
	s.web.Close()
	s.acp.Close()
	for _, server := range servers {
		leaving, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if server.Shutdown(leaving) != nil {
			_ = server.Close() // open requests have had their time
		}
		cancel()
	}
	if len(servers) == 0 {
		err = errors.Join(err, s.tcp.Close())
		if s.socket != nil {
			err = errors.Join(err, s.socket.Close())
		}
	}
	s.push.Close()
	err = errors.Join(err, s.app.Close())
	s.door.Close()
	return err
}

// closeIdleSessions closes sessions without a recent prompt. The log contains
// everything that is required to continue them.
func (s *Server) closeIdleSessions(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if idle := time.Duration(s.settings.Serve.SessionIdleTimeout); idle > 0 {
				for _, id := range s.app.Hub.CloseIdle(now.Add(-idle)) {
					s.app.CloseMCPServers(id)
				}
			}
		}
	}
}

// healthy returns an error if the hub or the store does not answer.
func (s *Server) healthy(ctx context.Context) error {
	s.app.Hub.Stats()
	_, err := s.app.Hub.Tail(ctx, "none")
	return err
}

func (s *Server) notifySystemd(state string) {
	if err := systemd.Notify(state); err != nil {
		s.logger.Warn("could not notify systemd", "state", state, "err", err)
	}
}
