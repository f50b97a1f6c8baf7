package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/systemd"
)

// catchSignals is set up before anything is started, so that none is missed.
func catchSignals(signals chan<- os.Signal) {
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
}

// errTakenForDead ends a node that the others could not hear for a while. It may
// be started again: then it is a new one.
var errTakenForDead = errors.New("the other nodes took this one for dead and have ended its turns")

// run serves until a signal, or until a door breaks.
func (s *service) run(signals <-chan os.Signal) error {
	public := s.web.Handler()
	if s.chats != nil {
		public = s.chats.handler(public)
	}
	network, local := s.newHTTP(public), s.newHTTP(s.web.Socket())
	s.logs.Go(s.stops.Run)
	broken := make(chan error, 3)
	go answer(network, s.tcp, s.config.Serve.TLSCert, s.config.Serve.TLSKey, broken)
	go answer(local, s.socket, "", "", broken)
	living, endLife := context.WithCancel(context.Background()) //nolint:forbidigo // the server's own life; no turn hangs on it
	defer endLife()
	go s.sweep(living)
	go systemd.Watchdog(living, s.logger, s.healthy)
	if s.chats != nil {
		s.chats.listen(living, broken)
	}
	s.logger.Info("serving", "url", s.url(), "data", s.config.Data, "version", version)
	s.tellSystemd("READY=1")

	var err error
	select {
	case <-signals:
	case <-s.Fenced():
		err = errTakenForDead
	case err = <-broken:
	}
	return errors.Join(err, s.end(signals, network, local))
}

// answer serves at a door until the server is closed.
func answer(server *http.Server, l net.Listener, cert, key string, broken chan<- error) {
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

// end takes leave: no more turns are accepted, those that run may finish for a
// while, the rest is stopped, and all settle; then the viewers and the doors go,
// and the children last. A second signal does not wait.
func (s *service) end(signals <-chan os.Signal, servers ...*http.Server) error {
	s.tellSystemd("STOPPING=1")
	stop := bellcord.StopRequest{Queue: bellcord.Drop, Cause: bellcord.Cause{Kind: bellcord.Shutdown, By: "signal", From: "serve"}}
	if s.chats != nil {
		s.chats.stopListening()
	}
	s.drain()
	finishing, done := context.WithTimeout(context.Background(), time.Duration(s.config.Serve.Finish))
	finished := make(chan error, 1)
	go func() { finished <- s.Finish(finishing) }()
	select {
	case <-finished:
	case <-signals:
		stop.Mode = bellcord.Force
	}
	done()
	bounded, doneStopping := context.WithTimeout(context.Background(), closeBound)
	defer doneStopping()
	answers, err := s.Stop(stop).Wait(bounded)
	s.logger.Info("shutting down", "stopped", len(answers), "forced", stop.Mode == bellcord.Force)
	if s.chats != nil {
		err = errors.Join(err, s.chats.close())
	}
	s.web.Close()
	for _, server := range servers {
		leaving, gone := context.WithTimeout(context.Background(), 5*time.Second)
		if server.Shutdown(leaving) != nil {
			_ = server.Close() // what still hangs on it has had its time
		}
		gone()
	}
	if len(servers) == 0 {
		err = errors.Join(err, s.tcp.Close(), s.socket.Close())
	}
	err = errors.Join(err, s.close())
	s.stops.Close()
	s.logs.Wait()
	s.door.Close()
	flushing, flushed := context.WithTimeout(context.Background(), 5*time.Second)
	defer flushed()
	return errors.Join(err, s.traces(flushing))
}

// sweep lets go of sessions that nobody has prompted for a while, and ends what
// they hold; the log has all that is needed to go on with one.
func (s *service) sweep(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if idle := time.Duration(s.config.Serve.Idle); idle > 0 {
				for _, id := range s.CloseIdle(now.Add(-idle)) {
					s.extras.closed(id)
				}
			}
		}
	}
}

// healthy is what the watchdog asks: does the hub answer, and the store?
func (s *service) healthy(ctx context.Context) error {
	s.Stats()
	_, err := s.Tail(ctx, "none")
	return err
}

func (s *service) tellSystemd(state string) {
	if err := systemd.Notify(state); err != nil {
		s.logger.Warn("telling systemd", "state", state, "err", err)
	}
}
