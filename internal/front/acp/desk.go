package acp

import (
	"context"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// Desk is what an editor lets an agent use of its own: its view of the files,
// unsaved changes included, and its terminals.
type Desk struct {
	Reads, Writes, Terminals bool // what it offers

	conn    *jsonrpc.Conn
	session bellcord.SessionID
}

// call is a request to the editor that ends with ctx: the editor is told, and
// what it still answers is dropped.
func (d *Desk) call(ctx context.Context, method string, params obj, result any) error {
	params["sessionId"] = d.session
	request := d.conn.Request(method, params)
	defer context.AfterFunc(ctx, request.Cancel)()
	err := request.Wait(result)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// ReadText returns a text file as the editor has it, from the given line (from
// 1) and at most limit lines; 0 means all.
func (d *Desk) ReadText(ctx context.Context, path string, line, limit int) (string, error) {
	params := obj{"path": path}
	if line > 0 {
		params["line"] = line
	}
	if limit > 0 {
		params["limit"] = limit
	}
	var result struct {
		Content string `json:"content"`
	}
	err := d.call(ctx, "fs/read_text_file", params, &result)
	return result.Content, err
}

// WriteText writes a text file through the editor.
func (d *Desk) WriteText(ctx context.Context, path, content string) error {
	var none struct{}
	return d.call(ctx, "fs/write_text_file", obj{"path": path, "content": content}, &none)
}

// Exit is how a command in a terminal ended; Code is -1 when a signal ended it.
type Exit struct {
	Code    int
	Output  string
	Stopped bool
}

const (
	terminalBytes = 1 << 20                // of output that the editor keeps
	terminalLook  = 250 * time.Millisecond // between looks at a running command's output
	terminalEnd   = 3 * time.Second        // for killing and clearing up
)

// Terminal runs a command in a terminal of the editor's. output gets what is
// new from time to time. When ctx ends the command is killed, its output is
// fetched, and the terminal is released: in this order, within a bound that
// ctx cannot cut short.
func (d *Desk) Terminal(ctx context.Context, args []string, dir string, output func(string)) (Exit, error) {
	var made struct {
		ID string `json:"terminalId"`
	}
	err := d.call(ctx, "terminal/create", obj{
		"command": args[0], "args": args[1:], "cwd": dir, "outputByteLimit": terminalBytes,
	}, &made)
	if err != nil {
		return Exit{}, err
	}
	shown := 0
	look := func(ctx context.Context) (terminalOutput, error) {
		var out terminalOutput
		if err := d.call(ctx, "terminal/output", obj{"terminalId": made.ID}, &out); err != nil {
			return out, err
		}
		if !out.Truncated && len(out.Output) > shown {
			output(out.Output[shown:])
			shown = len(out.Output)
		}
		return out, nil
	}
	stopped := d.await(ctx, look)
	end, done := context.WithTimeout(context.WithoutCancel(ctx), terminalEnd)
	defer done()
	var none struct{}
	if stopped {
		err = d.call(end, "terminal/kill", obj{"terminalId": made.ID}, &none)
	}
	out, lookErr := look(end)
	releaseErr := d.call(end, "terminal/release", obj{"terminalId": made.ID}, &none)
	return Exit{Code: out.code(), Output: out.Output, Stopped: stopped}, errors.Join(err, lookErr, releaseErr)
}

// await returns when the command has ended, or ctx has, or the editor no longer
// tells; it says whether the command has to be killed.
func (d *Desk) await(ctx context.Context, look func(context.Context) (terminalOutput, error)) bool {
	tick := time.NewTicker(terminalLook)
	defer tick.Stop()
	for {
		out, err := look(ctx)
		switch {
		case ctx.Err() != nil, err != nil:
			return true
		case out.ExitStatus != nil:
			return false
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return true
		}
	}
}

type terminalOutput struct {
	Output     string `json:"output"`
	Truncated  bool   `json:"truncated"`
	ExitStatus *struct {
		ExitCode *int    `json:"exitCode"`
		Signal   *string `json:"signal"`
	} `json:"exitStatus"`
}

func (t terminalOutput) code() int {
	if t.ExitStatus == nil || t.ExitStatus.ExitCode == nil {
		return -1
	}
	return *t.ExitStatus.ExitCode
}
