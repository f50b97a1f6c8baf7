package autostart

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/kardianos/service"
)

// Host runs what serves, and hands it the channel by which it is told to end. As
// a service of Windows it is told by the manager, and what it says goes to a
// file, of which the one before is kept.
func Host(serve func(signals chan os.Signal) error) error {
	signals := make(chan os.Signal, 8)
	if service.Interactive() {
		return serve(signals)
	}
	if err := sayInFile(); err != nil {
		return err
	}
	handle, err := scm{}.handle(&hosted{serve: serve, signals: signals, ended: make(chan error, 1)})
	if err != nil {
		return err
	}
	return handle.Run()
}

// hosted is what serves, in a process that the manager talks to.
type hosted struct {
	serve   func(chan os.Signal) error
	signals chan os.Signal
	asked   atomic.Bool // to stop
	ended   chan error
}

// Start returns at once, as the manager wants it. Its goroutine is waited for by
// Stop; one that ends unasked ends the process, which the manager starts again.
func (h *hosted) Start(service.Service) error {
	go func() {
		err := h.serve(h.signals)
		if !h.asked.Load() {
			slog.New(slog.NewJSONHandler(os.Stderr, nil)).Error("server ended unexpectedly", "err", err)
			os.Exit(1)
		}
		h.ended <- err
	}()
	return nil
}

// Stop waits until every turn has its end on record.
func (h *hosted) Stop(service.Service) error {
	h.asked.Store(true)
	h.signals <- os.Interrupt
	return <-h.ended
}

func sayInFile() error {
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
