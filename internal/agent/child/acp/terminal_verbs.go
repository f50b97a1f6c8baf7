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

// terminalOutput is what a command has written so far.
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

// waitForExit waits for a command to end, with all that came from it.
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

// killTerminal ends a command and answers when nothing of it is left.
func (t *turn) killTerminal(_ context.Context, p acp.KillTerminalRequest) (any, error) {
	one, err := t.find(p.TerminalID)
	if err != nil {
		return nil, err
	}
	one.kill(errKilled)
	<-one.done // bounded by the ladder
	return struct{}{}, nil
}

// releaseTerminal ends a command, too, and the agent has it no more.
func (t *turn) releaseTerminal(ctx context.Context, p acp.ReleaseTerminalRequest) (any, error) {
	if _, err := t.killTerminal(ctx, acp.KillTerminalRequest(p)); err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.terminals[p.TerminalID].released = true // what shows its output still may
	t.mu.Unlock()
	return struct{}{}, nil
}

// status is how a command ended, in the protocol's words.
func status(exit proc.Exit) *acp.TerminalExitStatus {
	if exit.Code < 0 {
		return &acp.TerminalExitStatus{Signal: new("SIGKILL")}
	}
	return &acp.TerminalExitStatus{ExitCode: &exit.Code}
}

// ended is what a receipt tells of a command: whom we had to end, and with what
// certainty.
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

// tail is the output that is kept, from a whole character on, and whether there
// was more.
func (one *terminal) tail() (string, bool) {
	one.mu.Lock()
	defer one.mu.Unlock()
	kept := one.output
	for one.cut && len(kept) > 0 && !utf8.RuneStart(kept[0]) {
		kept = kept[1:]
	}
	return strings.ToValidUTF8(string(kept), "\uFFFD"), one.cut
}

// outputText returns the output of a terminal, "" for a nil one.
func (one *terminal) outputText() string {
	if one == nil {
		return ""
	}
	text, _ := one.tail()
	return text
}
