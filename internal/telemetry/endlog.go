package telemetry

import (
	"log/slog"
	"sync/atomic"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// maxPending is the maximum number of ended turns that wait for a slow log.
const maxPending = 1024

// EndLog writes one log line for every turn that ended. For a stopped turn, it
// contains the person or cause, the source and the reason of the stop; for a failed turn, the
// error; for every turn the head of the session's log before its end.
//
// EndLog is based on commits, so that stops by a deadline, a budget or a
// shutdown are logged like those of a person. A log can be slow or even block,
// and commits never wait for it: turns beyond maxPending are not logged but
// counted, and the count is logged with the next line.
type EndLog struct {
	logger *slog.Logger
	ended  chan bellcord.Receipt
	closed chan struct{}
	missed atomic.Int64
}

// NewEndLog returns a log. Run writes it.
func NewEndLog(logger *slog.Logger) *EndLog {
	return &EndLog{logger: logger, ended: make(chan bellcord.Receipt, maxPending), closed: make(chan struct{})}
}

// Watch queues the turns that ended in a commit. It never blocks.
func (l *EndLog) Watch(c store.Commit) {
	for _, ev := range c.Events {
		b, is := ev.Body.(bellcord.TurnEnded)
		if !is {
			continue
		}
		select {
		case l.ended <- b.Receipt:
		default:
			l.missed.Add(1)
		}
	}
}

// Run writes lines until Close is called, then the remaining ones.
func (l *EndLog) Run() {
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
		l.logDropped()
		return
	}
}

func (l *EndLog) logReceipt(r bellcord.Receipt) {
	switch r.End {
	case bellcord.EndFailed:
		l.logger.Error("turn failed", append(endAttrs(r), "err", r.Error)...)
	case bellcord.EndLost:
		l.logger.Warn("turn lost: the process that ran it ended", endAttrs(r)...)
	case bellcord.EndStopped:
		cause := bellcord.Cause{}
		if r.Cause != nil {
			cause = *r.Cause
		}
		l.logger.Info("stopped", append(endAttrs(r), "by", cause.By, "source", cause.Source, "cause", cause.Kind, "reason", cause.Reason)...)
	case bellcord.EndDone:
		l.logger.Info("done", endAttrs(r)...)
	}
	l.logDropped()
}

func (l *EndLog) logDropped() {
	if n := l.missed.Swap(0); n > 0 {
		l.logger.Warn("the log of ended turns overflowed; these turns have no line", "turns", n)
	}
}

// Close makes Run return. Turns of later commits are not logged. Close must be
// called once.
func (l *EndLog) Close() { close(l.closed) }

// endAttrs returns the attributes of a turn's line. The head of the log is one of
// them: a log of the server that is kept elsewhere proves that the store was not
// rewritten.
func endAttrs(r bellcord.Receipt) []any {
	attrs := []any{"session", r.Session, "turn", r.Turn}
	if r.LogHead != nil {
		attrs = append(attrs, "log_seq", r.LogHead.Seq, "log_hash", r.LogHead.Hash)
	}
	return attrs
}
