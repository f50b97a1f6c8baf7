package acp

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/proc"
)

// find returns a terminal that has not been released.
func (t *turn) find(id string) (*terminal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.terminals[id]; one != nil && !one.released {
		return one, nil
	}
	return nil, invalid("no such terminal")
}

// terminalOutput returns the output of a command so far.
func (t *turn) terminalOutput(_ context.Context, p acp.TerminalOutputRequest) (any, error) {
	one, err := t.find(p.TerminalID)
	if err != nil {
		return nil, err
	}
	text, cut := one.tail()
	result := acp.TerminalOutputResponse{Output: text, Truncated: cut}
	select {
	case <-one.done:
		result.ExitStatus = status(one.exit)
	default:
	}
	return result, nil
}

// waitForExit waits until a command and all of its descendants have ended.
func (t *turn) waitForExit(ctx context.Context, p acp.WaitForTerminalExitRequest) (any, error) {
	one, err := t.find(p.TerminalID)
	if err != nil {
		return nil, err
	}
	select {
	case <-one.done:
		return acp.WaitForTerminalExitResponse(*status(one.exit)), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// killTerminal ends a command and returns when all of its processes have ended.
func (t *turn) killTerminal(_ context.Context, p acp.KillTerminalRequest) (any, error) {
	one, err := t.find(p.TerminalID)
	if err != nil {
		return nil, err
	}
	one.kill(errKilled)
	<-one.done // the ladder limits the time
	return struct{}{}, nil
}

// releaseTerminal ends a command and makes its terminal id invalid.
func (t *turn) releaseTerminal(ctx context.Context, p acp.ReleaseTerminalRequest) (any, error) {
	if _, err := t.killTerminal(ctx, acp.KillTerminalRequest(p)); err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.terminals[p.TerminalID].released = true // calls that contain the terminal still show its output
	t.mu.Unlock()
	return struct{}{}, nil
}

// status converts an exit to the protocol's form.
func status(exit proc.Exit) *acp.TerminalExitStatus {
	if exit.Code < 0 {
		return &acp.TerminalExitStatus{Signal: new("SIGKILL")}
	}
	return &acp.TerminalExitStatus{ExitCode: &exit.Code}
}

// ended returns the processes that had to be ended, for the receipt, or nil if
// all exited by themselves.
func ended(exit proc.Exit) *bellcord.Processes {
	p := &bellcord.Processes{Proof: exit.Proof}
	for _, e := range exit.Ended {
		if e.How != proc.Exited {
			p.Ended = append(p.Ended, bellcord.Process{PID: e.PID, Name: e.Name, How: string(e.How)})
		}
	}
	for _, e := range exit.Survivors {
		p.Survivors = append(p.Survivors, bellcord.Process{PID: e.PID, Name: e.Name, How: string(e.How)})
	}
	if len(p.Ended)+len(p.Survivors) == 0 {
		return nil
	}
	return p
}

// appendOutput adds output and drops the oldest bytes beyond the limit.
func (one *terminal) appendOutput(data []byte) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.output = append(one.output, data...)
	if over := len(one.output) - one.most; over > 0 {
		one.output = append([]byte(nil), one.output[over:]...)
		one.cut = true
	}
}

// tail returns the output that was kept, starting at a whole character, and
// whether earlier output was dropped.
func (one *terminal) tail() (string, bool) {
	one.mu.Lock()
	defer one.mu.Unlock()
	kept := one.output
	for one.cut && len(kept) > 0 && !utf8.RuneStart(kept[0]) {
		kept = kept[1:]
	}
	return strings.ToValidUTF8(string(kept), "\uFFFD"), one.cut
}

// outputText returns the output of a terminal, or "" for nil.
func (one *terminal) outputText() string {
	if one == nil {
		return ""
	}
	text, _ := one.tail()
	return text
}
