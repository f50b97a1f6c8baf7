package mcp

import (
	"context"
	"errors"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/tool"
)

const (
	// cancelWait is how long a stop waits until the cancellation is written; it does
	// not wait for an answer. A server that is not reading receives the
	// cancellation when it reads again.
	cancelWait = 50 * time.Millisecond
	// longestCall limits how long a call holds resources if its turn never ends.
	longestCall = 24 * time.Hour
)

// callTool calls a tool. If the server has ended before anything was sent, it
// is restarted once.
func (s *server) callTool(ctx context.Context, name string, call tool.Call) tool.Result {
	for last := false; ; last = true {
		l, err := s.up(ctx)
		if err != nil {
			return neverSent(ctx, s.Name+": "+err.Error())
		}
		result := l.callTool(ctx, name, call)
		if result.Fate != bellcord.CallNotStarted || last || ctx.Err() != nil || !l.ended() {
			return result
		}
	}
}

// reply is the SDK's result of a call.
type reply struct {
	*sdk.CallToolResult
	err error
}

// callTool calls a tool over this link. When ctx ends it cancels the call, waits
// at most 50 ms until the cancellation is written, and returns. Later messages
// about this call are dropped.
func (l *link) callTool(ctx context.Context, name string, call tool.Call) tool.Result {
	asking, ended := context.WithCancelCause(ctx)
	defer ended(errCallEnded)
	e := l.filter.open(asking, call)
	defer l.filter.dropCall(e)
	within, done := context.WithTimeout(context.WithValue(ctx, pendingCallKey{}, e), longestCall)
	defer done()
	params := &sdk.CallToolParams{Name: name, Arguments: call.Args}
	params.SetProgressToken(e.token)
	answer := make(chan reply, 1) // buffered: after a stop it is not received
	go func() {
		r, err := l.session.CallTool(within, params)
		answer <- reply{r, err}
	}()
	var seen progress
	for {
		select {
		case <-e.news:
			seen.forwardLines(e, call)
		case r := <-answer:
			seen.forwardLines(e, call)
			return l.outcome(ctx, e, r, &seen)
		case <-ctx.Done():
			seen.forwardLines(e, call)
			select {
			case r := <-answer:
				return l.outcome(ctx, e, r, &seen)
			default:
				return l.stopped(ctx, e, &seen)
			}
		case <-l.down:
			if e.answered.Load() { // the server answered before it ended; the SDK is reading the answer
				return l.outcome(ctx, e, <-answer, &seen)
			}
			return unseen(ctx, e, "the server has ended", &seen)
		}
	}
}

// outcome returns the result of a call after the SDK has returned.
func (l *link) outcome(ctx context.Context, e *pendingCall, r reply, seen *progress) tool.Result {
	switch {
	case r.err == nil:
		return finished(r.CallToolResult, e.media)
	case e.answered.Load() && ctx.Err() == nil:
		return tool.Result{Text: "error: " + clip(r.err.Error(), mostText), Failed: true, Fate: bellcord.CallFinished}
	case ctx.Err() != nil:
		return l.stopped(ctx, e, seen)
	case errors.Is(r.err, sdk.ErrConnectionClosed):
		l.startClosing() // the SDK detected it first
	}
	return unseen(ctx, e, r.err.Error(), seen)
}

// stopped returns the result of a stopped call. It waits at most 50 ms until the
// cancellation is written.
func (l *link) stopped(ctx context.Context, e *pendingCall, seen *progress) tool.Result {
	if e.withdraw() {
		return neverSent(ctx, "")
	}
	if !e.answered.Load() {
		timer := time.NewTimer(cancelWait)
		defer timer.Stop()
		select {
		case <-e.cancelWritten:
		case <-l.down:
		case <-timer.C:
		}
	}
	return tool.Result{Text: history.ResultText(bellcord.CallStopped, seen.String()), Fate: bellcord.CallStopped}
}

// unseen returns the result of a call that has no answer: the outcome is
// unknown if anything was sent.
func unseen(ctx context.Context, e *pendingCall, why string, seen *progress) tool.Result {
	if e.withdraw() {
		return neverSent(ctx, why)
	}
	seen.lines = append(seen.lines, "["+clip(why, mostLine)+"]")
	return tool.Result{
		Text:   history.ResultText(bellcord.CallUnknown, seen.String()),
		Failed: true,
		Fate:   bellcord.CallUnknown,
	}
}

// neverSent returns the result of a call of which nothing was sent to the
// server.
func neverSent(ctx context.Context, why string) tool.Result {
	if ctx.Err() != nil {
		return tool.Result{Text: history.ResultText(bellcord.CallNotStarted, ""), Fate: bellcord.CallNotStarted}
	}
	return tool.Result{Text: "[not started: " + clip(why, mostLine) + "]", Failed: true, Fate: bellcord.CallNotStarted}
}

// progress contains the last lines of a call's progress.
type progress struct{ lines []string }

func (p *progress) forwardLines(e *pendingCall, call tool.Call) {
	for _, line := range e.takeLines() {
		p.lines = append(p.lines, line)
		if call.Output != nil {
			call.Output(line + "\n")
		}
	}
	if over := len(p.lines) - mostLines; over > 0 {
		p.lines = append(p.lines[:0], p.lines[over:]...)
	}
}

func (p *progress) String() string { return clip(strings.Join(p.lines, "\n"), mostText) }
