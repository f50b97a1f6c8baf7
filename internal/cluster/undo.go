package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
)

// undoPatience is the maximum time that another node may take to undo changes, to
// read their texts, or to rewind a conversation, which reads all of it. An undo with
// the same ID can be repeated.
const undoPatience = 30 * time.Second

// patience is the maximum time that another node may take to answer the call.
func (c call) patience() time.Duration {
	switch c.Verb {
	case "undo", "texts", "rewind":
		return undoPatience
	}
	return patience
}

// Undo undoes or redoes changes to files on the node that keeps them. If none
// keeps them, it returns the error of the last one that answered, or ErrNoChanges.
func (n *Node) Undo(ctx context.Context, nodes []string, q bellcord.UndoRequest) (bellcord.Undone, error) {
	r, err := n.askKeeper(ctx, nodes, call{Verb: "undo", Undo: &q})
	switch {
	case err != nil:
		return bellcord.Undone{}, err
	case r.Undone == nil:
		return bellcord.Undone{}, bellcord.ErrNoChanges
	}
	return *r.Undone, nil
}

// Texts returns the changes of a turn to text files, of all or of one path, from
// the node that keeps them. The error is as for Undo.
func (n *Node) Texts(ctx context.Context, nodes []string, turn bellcord.TurnID, path string) ([]bellcord.Change, error) {
	var all []bellcord.Change
	for from := 0; ; {
		r, err := n.askKeeper(ctx, nodes, call{Verb: "texts", Turn: turn, Text: path, From: from})
		if err != nil {
			return nil, err
		}
		all = append(all, r.Texts...)
		if r.Next <= from {
			return all, nil
		}
		from = r.Next
	}
}

// askKeeper sends a call to the nodes one after the other, and returns the reply
// of the one that keeps the bytes.
func (n *Node) askKeeper(ctx context.Context, nodes []string, c call) (reply, error) {
	missing := bellcord.ErrNoChanges
	for _, node := range nodes {
		if node == n.bus.self {
			continue
		}
		r, err := n.bus.call(ctx, node, c)
		switch {
		case err == nil:
			return r, nil
		case NotKeptHere(err):
			missing = err
		case errors.Is(err, errUnreached) && !errors.Is(err, bellcord.ErrUnknown): // it has not received the request
		default:
			return reply{}, err
		}
	}
	return reply{}, missing
}

// NotKeptHere reports whether a request failed because the node does not keep the
// bytes, so that another node may.
func NotKeptHere(err error) bool {
	return errors.Is(err, bellcord.ErrNoChanges) || errors.Is(err, bellcord.ErrNoUndo) || errors.Is(err, bellcord.ErrUndoOff)
}

// part returns the changes from an index on that fit into a message of the given
// size, and the index of the next one; 0 if there is none. A change that fits into
// no message is left out, as one that is too long for display.
func part(all []bellcord.Change, from, most int) (some []bellcord.Change, next int) {
	size := 0
	for i := max(from, 0); i < len(all); i++ {
		data, err := json.Marshal(all[i])
		switch {
		case err != nil || len(data) > most:
			continue
		case size+len(data) > most:
			return some, i
		}
		size += len(data) + 1 // a comma
		some = append(some, all[i])
	}
	return some, 0
}
