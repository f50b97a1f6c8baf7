package acp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// Command is a command to run in one of the editor's terminals.
type Command struct {
	Args   []string
	Dir    string
	Env    map[string]string // the terminal inherits the editor's environment
	Opened func(id string)   // called with the id of the terminal; may be nil
	Output func(string)      // called with new output from time to time

	// Confirmed is called if the editor confirms the end of the command after
	// Terminal has returned an unconfirmed exit; how is exited, terminated or
	// not_started.
	Confirmed func(how string)
}

// Exit is the result of a command in a terminal. Code is -1 if a signal ended
// the command or its exit status is unknown.
type Exit struct {
	Code    int
	Output  string
	Stopped bool // a stop ended it, or tried to
	// Unconfirmed is the reason why it is unknown whether the command has
	// ended; empty if the editor has confirmed the end.
	Unconfirmed string
}

// ErrNotRun means that the editor opened no terminal.
var ErrNotRun = errors.New("no command ran")

const (
	terminalBytes = 1 << 20                // limit of the output that the editor keeps
	terminalPoll  = 250 * time.Millisecond // interval between reads of a running command's output
	terminalEnd   = 3 * time.Second        // time for a stop to be confirmed
	terminalForce = 500 * time.Millisecond // the same, after a forced stop
	lastPoll      = time.Second            // time to read the output of a killed command
)

// Terminal runs a command in one of the editor's terminals. When ctx ends, the
// command is killed, its output is read and the terminal is released, in this
// order. This requires replies from the editor, including the one to
// terminal/create. Terminal waits for them for a limited time that ctx cannot
// shorten, and returns an unconfirmed exit if they do not arrive. The kill and
// the release are still sent if the editor replies later.
func (d *EditorTools) Terminal(ctx context.Context, c Command) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{Stopped: true}, ErrNotRun
	}
	t := &terminal{tools: d, command: c}
	create := d.conn.Request(acp.MethodCreateTerminal, acp.CreateTerminalRequest{
		SessionID: d.session, Command: c.Args[0], Args: c.Args[1:], Env: variables(c.Env), Cwd: d.named(c.Dir), OutputByteLimit: new(terminalBytes),
	})
	err := t.created(ctx, create)
	if err == nil {
		if err = t.await(ctx); err == nil {
			t.release()
			return Exit{Code: exitCode(t.last), Output: t.last.Output}, nil
		}
	}
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		create.Withdraw()
		err = nil // the caller has the cause
	}
	ended := make(chan ending, 1)
	go func() { ended <- t.endCommand(create, err) }() // returns at the latest when the connection closes
	exit, notRun := t.confirmed(ctx, ended)
	if notRun != nil {
		return exit, notRun
	}
	return exit, err
}

// variables returns an environment in the form of the protocol.
func variables(env map[string]string) (all []acp.EnvVariable) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		all = append(all, acp.EnvVariable{Name: name, Value: env[name]})
	}
	return all
}

// terminal is a command in one of the editor's terminals.
type terminal struct {
	tools   *EditorTools
	command Command
	id      string
	last    acp.TerminalOutputResponse // latest output; not used by endCommand
	shown   int                        // bytes of it that were forwarded

	mu   sync.Mutex
	how  string // how the command ended, if the editor has confirmed it
	left bool   // Terminal has returned without a confirmation
}

// ending is the result of endCommand.
type ending struct {
	out         *acp.TerminalOutputResponse // output after the kill
	unconfirmed string
	err         error // ErrNotRun
}

// confirmed waits for the end of a command that is being killed, within the
// time limit of a stop.
func (t *terminal) confirmed(ctx context.Context, ended <-chan ending) (Exit, error) {
	bound := time.NewTimer(terminalEnd)
	defer bound.Stop()
	forced := bellcord.Forced(ctx)
	for {
		select {
		case e := <-ended:
			return t.exit(e)
		case <-forced:
			forced = nil
			bound.Reset(terminalForce)
		case <-bound.C:
			exit := Exit{Code: -1, Output: t.last.Output, Stopped: true}
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.how == "" {
				t.left = true
				exit.Unconfirmed = "it did not answer in time"
			}
			return exit, nil
		}
	}
}

func (t *terminal) exit(e ending) (Exit, error) {
	if e.out != nil {
		t.forwardOutput(*e.out)
	}
	return Exit{Code: exitCode(t.last), Output: t.last.Output, Stopped: t.how != "exited", Unconfirmed: e.unconfirmed}, e.err
}

// endCommand kills the command and releases the terminal. It waits for the
// editor's replies until the connection closes. failed is the earlier error of
// the terminal, if any.
func (t *terminal) endCommand(create *jsonrpc.Pending, failed error) ending {
	if t.id == "" {
		err := failed
		if err == nil {
			err = t.created(context.Background(), create)
		}
		var refused *jsonrpc.Error
		switch {
		case errors.As(err, &refused):
			t.confirm("not_started")
			return ending{err: fmt.Errorf("%w: %w", ErrNotRun, refused)}
		case err != nil:
			return ending{unconfirmed: "terminal/create: " + err.Error()}
		}
	}
	return t.kill()
}

// kill ends the command. Only two replies confirm its end: a successful kill,
// and an output with an exit status.
func (t *terminal) kill() ending {
	var none struct{}
	kill := t.tools.conn.Request(acp.MethodKillTerminal, acp.KillTerminalRequest{SessionID: t.tools.session, TerminalID: t.id})
	bound, done := context.WithTimeout(context.Background(), terminalEnd)
	defer done()
	err := kill.WaitContext(bound, &none)
	if errors.Is(err, context.DeadlineExceeded) {
		t.release() // also ends the command, in an editor that follows the protocol
		if err = kill.Wait(&none); err == nil {
			t.confirm("terminated")
			return ending{}
		}
		return ending{unconfirmed: "terminal/kill: " + err.Error()}
	}
	if err == nil {
		defer t.confirm("terminated")
		t.recordExit("terminated")
	}
	look, over := context.WithTimeout(context.Background(), lastPoll)
	defer over()
	out, lookErr := t.readOutput(look)
	t.release()
	var e ending
	if lookErr == nil {
		e.out = &out
	}
	switch {
	case err == nil:
	case lookErr == nil && out.ExitStatus != nil: // it had already ended
		t.confirm("exited")
	default:
		e.unconfirmed = "terminal/kill: " + err.Error()
	}
	return e
}

// recordExit records how the editor confirmed the end, and reports whether Terminal
// has already returned without a confirmation.
func (t *terminal) recordExit(how string) (late bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.how = how
	return t.left
}

// confirm calls note, and calls Confirmed if Terminal has already returned
// without a confirmation.
func (t *terminal) confirm(how string) {
	if t.recordExit(how) && t.command.Confirmed != nil {
		t.command.Confirmed(how)
	}
}

func (t *terminal) created(ctx context.Context, create *jsonrpc.Pending) error {
	var made acp.CreateTerminalResponse
	if err := create.WaitContext(ctx, &made); err != nil {
		return err
	}
	if made.TerminalID == "" {
		return errors.New("terminal/create returned no terminal id")
	}
	t.id = made.TerminalID
	if t.command.Opened != nil {
		t.command.Opened(t.id)
	}
	return nil
}

// release releases the terminal without waiting for the reply.
func (t *terminal) release() {
	t.tools.conn.Request(acp.MethodReleaseTerminal, acp.ReleaseTerminalRequest{SessionID: t.tools.session, TerminalID: t.id})
}

func (t *terminal) readOutput(ctx context.Context) (out acp.TerminalOutputResponse, err error) {
	err = t.tools.requestEditor(ctx, acp.MethodTerminalOutput, acp.TerminalOutputRequest{SessionID: t.tools.session, TerminalID: t.id}, &out)
	return out, err
}

// forwardOutput passes new output to Command.Output.
func (t *terminal) forwardOutput(out acp.TerminalOutputResponse) {
	if !out.Truncated && len(out.Output) > t.shown {
		t.command.Output(out.Output[t.shown:])
		t.shown = len(out.Output)
	}
	t.last = out
}

// await returns nil when the command has ended, and an error when ctx ends or
// the editor stops reporting.
func (t *terminal) await(ctx context.Context) error {
	tick := time.NewTicker(terminalPoll)
	defer tick.Stop()
	for {
		out, err := t.readOutput(ctx)
		if err != nil {
			return err
		}
		t.forwardOutput(out)
		if out.ExitStatus != nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// exitCode returns -1 for a command that has not ended or was ended by a
// signal.
func exitCode(out acp.TerminalOutputResponse) int {
	if out.ExitStatus == nil || out.ExitStatus.ExitCode == nil {
		return -1
	}
	return *out.ExitStatus.ExitCode
}
