package react

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/tool"
)

// compareTime is how long the end of a call waits for the list of the files that
// it has changed, for display.
const compareTime = 500 * time.Millisecond

// keepFiles makes the files of the session durable before a call that can change
// any of them. A stop ends the waiting: the call is then not started.
func (j *job) keepFiles(ctx context.Context, c call) (refused bool, err error) {
	if !c.tool.AnyFile {
		return false, nil
	}
	running := j.Background != nil && len(j.Background(j.w.Session.ID)) > 0
	err = j.record.Before(ctx, c.Call, running)
	switch {
	case err == nil:
		return false, nil
	case ctx.Err() != nil:
		never := bellcord.ToolCallEnded{Call: c.Call, Outcome: bellcord.CallNotStarted, Result: history.ResultText(bellcord.CallNotStarted, "")}
		return true, errors.Join(context.Cause(ctx), j.w.Emit(never))
	}
	return true, j.w.Emit(notStarted(c, err.Error()))
}

// changesOf returns the changes of a call for display, if they are known soon.
func (j *job) changesOf(ctx context.Context, c call) []bellcord.Change {
	j.record.After(c.Call)
	var parts []bellcord.Change
	for _, whole := range j.record.CallTexts(ctx, c.Call, compareTime) {
		parts = append(parts, tool.ChangedParts(whole)...)
	}
	return parts
}
