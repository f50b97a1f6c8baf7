package line

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// FollowHub calls Follow for a turn that this process runs, starting after the
// given event of its session's log. It sets v.Answer.
func (v *View) FollowHub(ctx context.Context, hub *hub.Hub, turn *hub.Turn, after int64) (bellcord.Receipt, error) {
	ctx, done := orUnsettled(ctx, turn)
	defer done()
	cursor, err := hub.Events(ctx, turn.Session, after)
	if err != nil {
		return bellcord.Receipt{}, err
	}
	defer cursor.Close()
	v.Answer = func(_ context.Context, turn bellcord.TurnID, question string, r bellcord.Reply, by string) {
		r.Scopes = []bellcord.Scope{bellcord.ScopeAdmin} // a person at the machine itself
		_ = hub.Answer(turn, question, r, by)            // an answer that comes too late is no error
	}
	return v.Follow(ctx, cursor, turn.ID)
}

var errUnsettled = errors.New("could not record the end of the turn")

// orUnsettled returns a context that ends if the turn settles without its end
// in the log.
func orUnsettled(ctx context.Context, turn *hub.Turn) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-turn.Settled():
			if turn.Receipt().EndNotDurable {
				end(fmt.Errorf("%w: %s", errUnsettled, turn.Receipt().Error))
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() { end(nil) }
}
