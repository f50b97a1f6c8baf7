package snapshot

import (
	"context"
	"slices"
)

// Dir returns the directory with everything that is stored for the workspace.
func (w *Workspace) Dir() string { return w.dir }

// OfTurn returns the results of the calls of a turn that have ended, in the order
// of their ends. open reports whether a call of the turn has not ended.
func (w *Workspace) OfTurn(ctx context.Context, turn string) (results []Result, open bool, err error) {
	u, release, err := w.acquire(ctx)
	if err != nil {
		return nil, false, err
	}
	defer release()
	var ended []*endedCall
	for _, c := range u.index.ended {
		if c.Turn == turn {
			ended = append(ended, c)
		}
	}
	slices.SortFunc(ended, func(a, b *endedCall) int { return a.at.Compare(b.at) })
	for _, c := range ended {
		results = append(results, c.result)
	}
	for _, c := range u.index.open {
		open = open || c.Turn == turn
	}
	return results, open, nil
}
