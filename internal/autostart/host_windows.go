package autostart

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/kardianos/service"
)

// Host calls serve with the channel that receives the signal to end. In a
// Windows service, the signal comes from the service manager, and output is
// written to a file; the previous file is kept.
func Host(serve func(signals chan os.Signal) error) error {
	signals := make(chan os.Signal, 8)
	if service.Interactive() {
		return serve(signals)
	}
	if err := writeToFile(); err != nil {
		return err
	}
	handle, err := scm{}.handle(&hosted{serve: serve, signals: signals, ended: make(chan error, 1)})
	if err != nil {
		return err
	}
	return handle.Run()
}

// hosted runs serve in a process that the service manager controls.
type hosted struct {
	serve         func(chan os.Signal) error
	signals       chan os.Signal
	stopRequested atomic.Bool // a stop was requested
	ended         chan error
}

// Start returns immediately, as the manager requires. Stop waits for its
// goroutine. If serve ends without a stop, the process exits, and the manager
// restarts it.
func (h *hosted) Start(service.Service) error {
	go func() {
		err := h.serve(h.signals)
		if !h.stopRequested.Load() {
			slog.New(slog.NewJSONHandler(os.Stderr, nil)).Error("server ended unexpectedly", "err", err)
			os.Exit(1)
		}
		h.ended <- err
	}()
	return nil
}

// Stop waits until serve has returned: the ends of all turns are durable then.
func (h *hosted) Stop(service.Service) error {
	h.stopRequested.Store(true)
	h.signals <- os.Interrupt
	return <-h.ended
}

func writeToFile() error {
	dir, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "bellcord", "serve.log")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	os.Stdout, os.Stderr = file, file
	return nil
}
