package acp

import (
	"cmp"
	"context"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
)

// editorRun runs a command in a terminal of the editor.
type editorRun func(context.Context, tool.EditorCommand) (tool.EditorExit, error)

// editorTerminals returns the function that runs the agent's commands in the
// editor's terminals, or nil if Bellcord runs them.
func (t *turn) editorTerminals() editorRun {
	if !t.opts.EditorTerminals || t.opts.Editor == nil {
		return nil
	}
	return t.opts.Editor(t.w.Session.ID).Run
}

// openInEditor runs a command in a terminal of the editor. It returns when the
// terminal is open, or with the error if it did not open.
func (t *turn) openInEditor(ctx context.Context, run editorRun, one *terminal, command proc.Command, env []acp.EnvVariable) error {
	opened := make(chan string, 1)
	t.work.Go(func() {
		defer one.kill(errOver)
		t.runInEditor(ctx, run, one, tool.EditorCommand{
			Args: command.Args, Dir: command.Dir, Env: t.editorEnv(env), Opened: func(id string) { opened <- id },
			Output: func(text string) {
				t.addOutput(one, []byte(text))
			},
		}, command.Name)
	})
	id := ""
	select {
	case id = <-opened:
	case <-one.done:
		select {
		case id = <-opened: // it has ended already
		default:
			return cmp.Or(one.failed, tool.ErrEditorNotRun)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	one.editor = id
	return nil
}

// editorEnv returns the variables of a terminal. The terminal inherits the
// editor's environment, so those that Bellcord withholds are set to "".
func (t *turn) editorEnv(env []acp.EnvVariable) map[string]string {
	all := map[string]string{}
	for _, name := range t.opts.Env.Withheld() {
		all[name] = ""
	}
	for _, v := range env {
		all[v.Name] = v.Value
	}
	return all
}

// runInEditor runs a command until the editor has confirmed its end, or a stop
// does not wait longer for that.
func (t *turn) runInEditor(ctx context.Context, run editorRun, one *terminal, c tool.EditorCommand, name string) {
	defer close(one.done)
	process := bellcord.Process{Name: name}
	c.Confirmed = func(how string) {
		process.How = how
		t.w.Report().Confirm(t.recordedCall(one), process)
	}
	exit, err := run(ctx, c)
	one.exit, one.failed = proc.Exit{Code: exit.Code}, err
	end := bellcord.ToolCallEnded{Outcome: bellcord.CallFinished, Failed: exit.Code != 0, Result: one.outputText()}
	stopped := ctx.Err() != nil && !errors.Is(context.Cause(ctx), errKilled)
	switch {
	case exit.Unconfirmed != "":
		end.Outcome, end.Result = bellcord.CallUnknown, history.ResultText(bellcord.CallUnknown, end.Result)
		end.Processes = &bellcord.Processes{Unconfirmed: []bellcord.Process{process}}
	case errors.Is(err, tool.ErrEditorNotRun) && stopped:
		end.Outcome, end.Result = bellcord.CallNotStarted, history.ResultText(bellcord.CallNotStarted, "")
	case errors.Is(err, tool.ErrEditorNotRun):
		end.Outcome, end.Failed, end.Result = bellcord.CallNotStarted, true, tool.NotOpened(err)
	case exit.Stopped && stopped:
		end.Outcome, end.Result = bellcord.CallStopped, history.ResultText(bellcord.CallStopped, end.Result)
		end.Processes = tool.EditorEnded(name)
	case exit.Stopped:
		end.Failed = true
		end.Processes = tool.EditorEnded(name)
	case err != nil:
		end.Failed = true
		end.Result += "\n[" + err.Error() + "]"
	}
	t.mu.Lock()
	e := one.effect
	t.mu.Unlock()
	t.done(e, end)
}

// recordedCall returns the id of the recorded call that a terminal belongs to.
func (t *turn) recordedCall(one *terminal) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.call != nil {
		return one.call.logID
	}
	return one.effect.own
}
