package telemetry

import (
	"log/slog"
	"sync/atomic"

	"github.com/bellcord/bellcord"
)

// mostUntold is how many stopped turns may wait for a log that is slow.
const mostUntold = 1024

// StopLog writes one line for every turn that did not end by itself: of one that
// was stopped by whom and from where, of one that failed or was lost why.
//
// It hears of them from commits, so that a stop by a deadline, a budget or a
// shutdown is in the log like a person's. A log can be slow, a pipe that nobody
// reads even stuck, and a commit waits for neither: what does not fit between
// them is left out and counted, and the count is logged with the next line.
type StopLog struct {
	logger *slog.Logger
	ended  chan bellcord.Receipt
	closed chan struct{}
	missed atomic.Int64
}

// NewStopLog returns a log that writes once Run is called.
func NewStopLog(logger *slog.Logger) *StopLog {
	return &StopLog{logger: logger, ended: make(chan bellcord.Receipt, mostUntold), closed: make(chan struct{})}
}

// Watch takes the turns of a commit that did not end by themselves. It waits for
// nothing.
func (l *StopLog) Watch(c bellcord.Commit) {
	for _, ev := range c.Events {
		b, is := ev.Body.(bellcord.TurnEnded)
		if !is || b.Receipt.End == bellcord.EndDone {
			continue
		}
		select {
		case l.ended <- b.Receipt:
		default:
			l.missed.Add(1)
		}
	}
}

// Run writes lines until Close is called, and then those that wait.
func (l *StopLog) Run() {
	for {
		select {
		case r := <-l.ended:
			l.logReceipt(r)
			continue
		case <-l.closed:
		}
		for len(l.ended) > 0 {
			l.logReceipt(<-l.ended)
		}
		l.tellMissed()
		return
	}
}

func (l *StopLog) logReceipt(r bellcord.Receipt) {
	switch r.End {
	case bellcord.EndFailed:
		l.logger.Error("turn failed", "session", r.Session, "turn", r.Turn, "err", r.Error)
	case bellcord.EndLost:
		l.logger.Warn("turn lost: the process that ran it ended", "session", r.Session, "turn", r.Turn)
	case bellcord.EndStopped:
		cause := bellcord.Cause{}
		if r.Cause != nil {
			cause = *r.Cause
		}
		l.logger.Info("stopped", "session", r.Session, "turn", r.Turn, "by", cause.By, "source", cause.Source, "cause", cause.Kind)
	case bellcord.EndDone:
	}
	l.tellMissed()
}

func (l *StopLog) tellMissed() {
	if n := l.missed.Swap(0); n > 0 {
		l.logger.Warn("stop log overflowed; ended turns not logged", "turns", n)
	}
}

// Close has Run return. A hub that could not end in time may still commit: that
// has no line.
func (l *StopLog) Close() { close(l.closed) }
