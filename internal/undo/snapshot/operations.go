package snapshot

import (
	"context"
	"fmt"
)

// Scan brings the index up to date without a call: it takes the first snapshot,
// or a new one while nothing runs.
func (w *Workspace) Scan(ctx context.Context, scope Scope) (Report, error) {
	u, release, err := w.acquire(ctx)
	if err != nil {
		return Report{}, err
	}
	defer release()
	err = u.scan(ctx, scope)
	return u.report(), err
}

// Begin scans the workspace and opens a call of unknown effect. When it returns
// nil, the bytes of every file that the report does not exclude are durable, and
// so is the fact that the call is open. After an error, the call is not open.
func (w *Workspace) Begin(ctx context.Context, call Call, scope Scope) (Report, error) {
	u, release, err := w.acquire(ctx)
	if err != nil {
		return Report{}, err
	}
	defer release()
	if err := u.unused(call.ID); err != nil {
		return Report{}, err
	}
	if err := u.scan(ctx, scope); err != nil {
		return u.report(), err
	}
	opened := &openCall{Call: call, handle: w.handle, at: w.now(), gaps: append(call.outside(), u.gaps...)}
	if call.Loose {
		opened.loose = u.between
	}
	at("before opened")
	return u.report(), u.log(openedRecord(opened))
}

func (u *update) unused(id string) error {
	if u.index.open[id] != nil || u.index.ended[id] != nil {
		return fmt.Errorf("%w: %q", ErrExists, id)
	}
	return nil
}

// Keep opens a call that changes only the given paths, which are relative to the
// workspace, with slashes. It makes their bytes durable, and does not scan.
// Directories above a path that do not exist belong to the call, too. A path can be
// below a file or a symbolic link that is also a path of the call. A call without a
// path changes only what call.Outside names.
func (w *Workspace) Keep(ctx context.Context, call Call, paths ...string) (Report, error) {
	u, release, err := w.acquire(ctx)
	if err != nil {
		return Report{}, err
	}
	defer release()
	if err := u.unused(call.ID); err != nil {
		return Report{}, err
	}
	exact, err := u.lookFirst(ctx, paths)
	if err != nil {
		return Report{}, err
	}
	at("before opened")
	return u.report(), u.log(openedRecord(&openCall{Call: call, handle: w.handle, at: w.now(), exact: exact, gaps: call.outside()}))
}

// End returns the changes of a call and closes it. All processes of the call
// must have ended. After an error, the call is still open, and End can be called
// again. For a call that has ended, End returns the same result again.
func (w *Workspace) End(ctx context.Context, id string, scope Scope) (Result, error) {
	u, release, err := w.acquire(ctx)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if ended := u.index.ended[id]; ended != nil {
		return ended.result, nil
	}
	call := u.index.open[id]
	if call == nil {
		return Result{}, fmt.Errorf("%w: %q", ErrUnknown, id)
	}
	if call.exact == nil {
		err = u.scan(ctx, scope)
	} else {
		err = u.lookAgain(ctx, call.exact)
	}
	if err != nil {
		return Result{}, err
	}
	if !isThere(w.dir) {
		u.gaps = append(u.gaps, Gap{"", Replaced})
	}
	at("before ended")
	ended := &endedCall{Call: call.Call, handle: call.handle, at: w.now()}
	ended.result = u.index.result(call, !w.isAlive(call.handle), w.claims(call), u.gaps)
	return ended.result, u.log(endedRecord(ended))
}

// Result returns the result of a call that has ended and was not removed by
// Collect.
func (w *Workspace) Result(ctx context.Context, id string) (Result, error) {
	u, release, err := w.acquire(ctx)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if ended := u.index.ended[id]; ended != nil {
		return ended.result, nil
	}
	return Result{}, fmt.Errorf("%w: %q", ErrUnknown, id)
}
