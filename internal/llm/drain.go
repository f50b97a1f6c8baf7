package llm

import (
	"context"
	"time"

	"github.com/bellcord/bellcord"
)

// Draining is a model whose answer is read on for a while after a stop, for the
// sake of its last word: what it cost. Nothing of what comes then is shown, and
// Ask returns the stop's cause with a Reply that has the usage, if it came. An
// answer that has not begun is not waited for, and a stop that is forced ends it
// at once. It is a person's choice, against law 16's "at once".
type Draining struct {
	Model Model
	For   time.Duration
}

// Ask implements Model.
func (d Draining) Ask(ctx context.Context, req Request, emit func(bellcord.Body) error) (Reply, error) {
	reading, hangUp := context.WithCancelCause(context.WithoutCancel(ctx))
	defer hangUp(nil)
	begun := make(chan struct{}, 1)
	watched := make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(watched)
		d.hangUpAfter(ctx, begun, over, hangUp)
	}()
	reply, err := d.Model.Ask(reading, req, func(b bellcord.Body) error {
		if ctx.Err() != nil {
			return nil
		}
		select {
		case begun <- struct{}{}:
		default:
		}
		return emit(b)
	})
	close(over)
	<-watched
	if ctx.Err() != nil {
		return Reply{Usage: reply.Usage}, context.Cause(ctx)
	}
	return reply, err
}

// hangUpAfter closes the connection some time after the stop.
func (d Draining) hangUpAfter(ctx context.Context, begun, over <-chan struct{}, hangUp context.CancelCauseFunc) {
	select {
	case <-over:
		return
	case <-ctx.Done():
	}
	defer func() { hangUp(context.Cause(ctx)) }()
	select {
	case <-begun:
	default:
		return
	}
	timer := time.NewTimer(d.For)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
	case <-bellcord.Forced(ctx):
	}
}
