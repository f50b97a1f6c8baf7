package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
)

// undoPatience is the maximum time that another node may take to undo changes. A
// request with the same ID can be repeated.
const undoPatience = 30 * time.Second

// patience is the maximum time that another node may take to answer the call.
func (c call) patience() time.Duration {
	if c.Verb == "undo" {
		return undoPatience
	}
	return patience
}

// Undo undoes or redoes changes to files on the node that keeps them: it asks the
// nodes one after the other. If none keeps them, it returns the error of the last
// one that answered, or ErrNoChanges.
func (n *Node) Undo(ctx context.Context, nodes []string, q bellcord.UndoRequest) (bellcord.Undone, error) {
	missing := bellcord.ErrNoChanges
	for _, node := range nodes {
		if node == n.bus.self {
			continue
		}
		r, err := n.bus.call(ctx, node, call{Verb: "undo", Undo: &q})
		switch {
		case err == nil && r.Undone != nil:
			return *r.Undone, nil
		case NotKeptHere(err):
			missing = err
		case errors.Is(err, errUnreached) && !errors.Is(err, bellcord.ErrUnknown): // it has not received the request
		case err != nil:
			return bellcord.Undone{}, err
		}
	}
	return bellcord.Undone{}, missing
}

// NotKeptHere reports whether an undo failed because the node does not keep the
// bytes, so that another node may.
func NotKeptHere(err error) bool {
	return errors.Is(err, bellcord.ErrNoChanges) || errors.Is(err, bellcord.ErrNoUndo) || errors.Is(err, bellcord.ErrUndoOff)
}
