package systemd

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"time"
)

// Watchdog notifies the service manager that the process is alive, twice per
// watchdog timeout, until ctx ends. It sends nothing while healthy fails or
// does not return: then the manager restarts the process. The reason is logged
// once. Watchdog returns immediately if the manager has no watchdog for this
// process.
func Watchdog(ctx context.Context, logger *slog.Logger, healthy func(context.Context) error) {
	waits := patience(os.Getenv("WATCHDOG_USEC"), os.Getenv("WATCHDOG_PID"), os.Getpid())
	if waits > 0 {
		watch(ctx, waits/2, logger, healthy, func() error { return Notify(alive) })
	}
}

var errLate = errors.New("the health check took too long")

// longest is the maximum timeout, so that any setting fits into a Duration.
// Notifying more often than necessary is harmless.
const longest = 24 * time.Hour

// patience returns the watchdog timeout of this process, or 0 if there is
// none.
func patience(usec, pid string, own int) time.Duration {
	if pid != "" && pid != strconv.Itoa(own) { // for another process: inherited from a parent
		return 0
	}
	n, err := strconv.ParseInt(usec, 10, 64)
	if err != nil || n < 2 {
		return 0
	}
	return time.Duration(min(n, longest.Microseconds())) * time.Microsecond
}

// watch calls healthy every interval and then notify if there was no error.
// healthy has half the interval, so that two notifications are never more than
// three quarters of the timeout apart.
func watch(ctx context.Context, interval time.Duration, logger *slog.Logger, healthy func(context.Context) error, notify func() error) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	doctor := doctor{healthy: healthy}
	failing := false
	for {
		err := doctor.check(ctx, interval/2)
		if err == nil {
			err = notify()
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing: // once, not for every check
			logger.Error("not healthy; systemd watchdog not notified", "err", err)
		case err == nil && failing:
			logger.Info("healthy again")
		}
		failing = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// doctor calls healthy, one call at a time.
type doctor struct {
	healthy func(context.Context) error
	pending chan error // result of a call that has not returned in time
}

// check returns nil if the process is healthy. A result that comes too late is
// an error, even if healthy ignores its context. healthy is not called again
// before it has returned, so that one that hangs costs only one goroutine.
func (d *doctor) check(ctx context.Context, bound time.Duration) error {
	ctx, done := context.WithTimeout(ctx, bound)
	defer done()
	late := d.pending != nil
	if !late {
		answer := make(chan error, 1)
		d.pending = answer
		go func() { answer <- d.healthy(ctx) }()
	}
	select {
	case err := <-d.pending:
		d.pending = nil
		if late || ctx.Err() != nil {
			return errors.Join(errLate, err)
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
