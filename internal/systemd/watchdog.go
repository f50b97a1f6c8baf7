package systemd

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"time"
)

// Watchdog tells the service manager that we are alive, twice in the time that
// it waits for that word, until ctx ends. It does not while healthy fails or
// does not return: then the manager restarts us, and the log says why, once. It returns at once where no
// manager waits for us.
func Watchdog(ctx context.Context, logger *slog.Logger, healthy func(context.Context) error) {
	waits := patience(os.Getenv("WATCHDOG_USEC"), os.Getenv("WATCHDOG_PID"), os.Getpid())
	if waits > 0 {
		watch(ctx, waits/2, logger, healthy, func() error { return Notify(alive) })
	}
}

var errLate = errors.New("the health check took too long")

// longest keeps absurd settings within what a duration can hold; a word too
// many does no harm.
const longest = 24 * time.Hour

// patience is how long the manager waits for a word of this process; 0 means
// that it does not.
func patience(usec, pid string, own int) time.Duration {
	if pid != "" && pid != strconv.Itoa(own) { // meant for another: a parent's environment
		return 0
	}
	n, err := strconv.ParseInt(usec, 10, 64)
	if err != nil || n < 2 {
		return 0
	}
	return time.Duration(min(n, longest.Microseconds())) * time.Microsecond
}

// watch looks every interval and tells when all is well. A look has half the
// interval: two words are then never further apart than three quarters of the
// manager's patience.
func watch(ctx context.Context, interval time.Duration, logger *slog.Logger, healthy func(context.Context) error, tell func() error) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	doctor := doctor{healthy: healthy}
	failing := false
	for {
		err := doctor.look(ctx, interval/2)
		if err == nil {
			err = tell()
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing: // once, not at every look
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

// doctor asks whether we are healthy, one question at a time.
type doctor struct {
	healthy func(context.Context) error
	pending chan error // a question that was not answered in time
}

// look returns nil when we are healthy. An answer that comes too late is none,
// also where healthy ignores its context; it is not asked again before it has
// returned, so one that hangs costs one goroutine.
func (d *doctor) look(ctx context.Context, bound time.Duration) error {
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
