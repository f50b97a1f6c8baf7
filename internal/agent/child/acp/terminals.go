package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
)

// mostOutput is the maximum output in bytes that is kept of a command,
// regardless of the agent's limit.
const mostOutput = 1 << 20

// terminal is a command that runs on behalf of the agent. It ends with the
// turn.
type terminal struct {
	kill context.CancelCauseFunc
	done chan struct{} // closed when all processes have ended; exit and failed are set before
	exit proc.Exit

	failed error  // of a terminal of the editor
	editor string // the editor's id of its terminal, "" for a terminal of Bellcord; protected by turn.mu

	mu     sync.Mutex
	most   int
	output []byte
	cut    bool

	released bool   // protected by turn.mu
	call     *call  // the call that shows the terminal; protected by turn.mu
	effect   effect // protected by turn.mu
}

var errKilled = errors.New("the agent ended the command")

// createTerminal starts a command and returns without waiting for it.
func (t *turn) createTerminal(ctx context.Context, p acp.CreateTerminalRequest) (any, error) {
	command, err := t.command(p)
	if err != nil {
		return nil, err
	}
	shown := t.shownCommand(command, p.Env)
	args, err := json.Marshal(shown)
	if err != nil {
		return nil, err
	}
	e, err := t.permit(ctx, effect{
		Call: permit.Call{
			Tool: "shell", Effect: permit.Executes, Subject: command.Name,
			Altered: len(shown.Env) > 0 || shown.Workdir != "", // a variable or a directory can select another program
		},
		args: args, kind: acp.ToolExecute, question: shown.question(),
	})
	if err != nil {
		return nil, err
	}
	one := &terminal{done: make(chan struct{}), most: mostOutput, effect: e}
	if p.OutputByteLimit != nil && *p.OutputByteLimit >= 0 {
		one.most = min(*p.OutputByteLimit, mostOutput)
	}
	running, kill := context.WithCancelCause(t.pending) // cancelled when the agent kills this command
	one.kill = kill
	if run := t.editorTerminals(); run != nil { // the create request is still counted, so work.Wait has not returned
		if err := t.openInEditor(running, run, one, command, p.Env); err != nil {
			return nil, err
		}
		return acp.CreateTerminalResponse{TerminalID: t.addTerminal(one)}, nil
	}
	command.Output = func(data []byte) { t.addOutput(one, data) }
	id := t.addTerminal(one)
	t.work.Go(func() {
		defer kill(errOver)
		t.runCommand(running, one, command)
	})
	return acp.CreateTerminalResponse{TerminalID: id}, nil
}

// addTerminal gives a terminal an id for the agent.
func (t *turn) addTerminal(one *terminal) string {
	id := fmt.Sprintf("terminal-%d", t.link.terminals.Add(1))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.terminals[id] = one
	return id
}

// runCommand runs a command until it and all of its descendants have ended.
func (t *turn) runCommand(ctx context.Context, one *terminal, command proc.Command) {
	defer close(one.done)
	exit, err := t.runConfined(ctx, command)
	if err != nil {
		one.appendOutput([]byte("error: " + err.Error()))
		exit = proc.Exit{Code: 127}
	}
	one.exit = exit
	end := bellcord.ToolCallEnded{Outcome: bellcord.CallFinished, Failed: exit.Code != 0, Result: one.outputText(), Processes: ended(exit)}
	switch {
	case err != nil:
		end.Outcome = bellcord.CallNotStarted
	case exit.How != proc.Exited && !errors.Is(context.Cause(ctx), errKilled):
		end.Outcome, end.Result = bellcord.CallStopped, history.ResultText(bellcord.CallStopped, end.Result)
	}
	t.mu.Lock()
	e := one.effect
	t.mu.Unlock()
	t.done(e, end)
}

// runConfined runs a command, in the sandbox if one is configured.
func (t *turn) runConfined(ctx context.Context, command proc.Command) (proc.Exit, error) {
	s := t.w.Session
	prepared, err := cmp.Or(t.opts.Confine, &confine.Policy{Keeper: t.opts.Keeper}).Prepare(confine.Command{
		Command: command, Kind: confine.Shell, Session: s.ID, Full: permit.Mode(s.Mode) == permit.Full,
		Dirs: append([]string{s.Dir}, s.AdditionalDirs...), Ask: tool.AskNetwork(t.w),
	})
	if err != nil {
		return proc.Exit{}, err
	}
	if prepared.Sandbox != nil {
		t.w.Report().AddSandbox(*prepared.Sandbox)
	}
	return prepared.Run(ctx, bellcord.Forced(t.ctx))
}

// addOutput keeps the output of a command, and emits it as output of the call that
// shows its terminal, or of the call that was recorded for it. A call that is connected
// with the terminal meanwhile has all output before it, and none of this.
func (t *turn) addOutput(one *terminal, data []byte) {
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	t.mu.Lock()
	defer t.mu.Unlock()
	one.appendOutput(data)
	switch {
	case t.closed:
	case one.call != nil:
		t.appendText(one.call, text)
	case one.effect.own != "":
		t.emit(bellcord.ToolOutputDelta{Call: one.effect.own, Text: text})
	}
}

// attachTerminals connects a call with the terminals that its content shows. If
// a terminal was created before the agent reported the call, the call that was
// recorded for the terminal is this call.
func (t *turn) attachTerminals(c *call) {
	for i, content := range c.now.Content {
		one := t.terminals[content.Terminal]
		if one == nil {
			continue
		}
		if one.editor != "" {
			c.now.Content[i].Terminal = one.editor
		} else {
			c.now.Content[i].Contained = true
		}
		if one.call != nil {
			continue
		}
		one.call = c
		if own := one.effect.own; own != "" && !c.called {
			c.logID, c.called, c.started, c.allowed = own, true, true, true
			c.now.Call, c.now.Name = own, one.effect.Tool
			c.shown = bellcord.ToolCallRequested{Call: own, Name: one.effect.Tool, ToolKind: string(one.effect.kind), Arguments: one.effect.args}
			c.output = one.outputText()
			one.effect.own = ""
			continue
		}
		t.recordCall(c)
		t.appendText(c, one.outputText())
	}
}

// keepTerminals returns the new content of a call, with the terminals of Bellcord
// that it had. goose replaces the terminal of a command that failed by its output.
func (c *call) keepTerminals(content []bellcord.CallContent) []bellcord.CallContent {
	if slices.ContainsFunc(content, func(one bellcord.CallContent) bool { return one.Terminal != "" }) {
		return content
	}
	var kept []bellcord.CallContent
	for _, one := range c.now.Content {
		if one.Contained {
			kept = append(kept, one)
		}
	}
	return append(kept, content...)
}

// withoutOutput returns the text of a call without the output of its terminals,
// which is recorded already.
func (t *turn) withoutOutput(c *call, text string) string {
	for _, one := range c.now.Content {
		if of := t.terminals[one.Terminal]; of != nil {
			before, after, _ := strings.Cut(text, strings.TrimSpace(of.outputText()))
			text = strings.TrimSpace(before + after)
		}
	}
	return text
}

// recordExit records the exit code of a call's command, which Bellcord has run.
func (t *turn) recordExit(c *call) {
	for _, one := range c.now.Content {
		of := t.terminals[one.Terminal]
		meta := acp.MembersOf(c.now.Meta)
		if of == nil || !one.Contained || meta[acp.TerminalExitMember] != nil {
			continue
		}
		select {
		case <-of.done:
			if of.exit.Code > 0 {
				meta.Set(acp.TerminalExitMember, map[string]any{"terminal_id": one.Terminal, "exit_code": of.exit.Code, "signal": nil})
				c.now.Meta = meta.JSON()
				t.recordCall(c)
			}
		default: // the agent did not wait for the command
		}
	}
}

// command returns the command to run. Many agents send a whole command line in
// place of a program name; it is passed to a shell.
func (t *turn) command(p acp.CreateTerminalRequest) (proc.Command, error) {
	c := proc.Command{Owner: string(t.w.Turn), Dir: t.w.Session.Dir, Env: t.opts.Env.Pairs(), Bare: true, Name: p.Command}
	switch {
	case t.opts.Keeper == nil:
		return c, errors.New("terminals are not available")
	case strings.TrimSpace(p.Command) == "":
		return c, invalid("command is missing")
	}
	if err := t.dirs().Check(); err != nil {
		return c, err
	}
	if p.Cwd != "" {
		dir, err := t.dirs().Place(p.Cwd)
		if err != nil || !filepath.IsAbs(p.Cwd) {
			return c, invalid("cwd is not an absolute path of a directory inside one of the session's directories")
		}
		c.Dir = dir
	}
	for _, v := range p.Env {
		c.Env = append(c.Env, v.Name+"="+v.Value)
	}
	if len(p.Args) == 0 && strings.ContainsAny(strings.TrimSpace(p.Command), " \t\n;|&<>$`") {
		c.Args = shell(p.Command)
		return c, nil
	}
	c.Args = append([]string{p.Command}, p.Args...)
	c.Name = line(p.Command, p.Args)
	if _, err := exec.LookPath(p.Command); err != nil {
		return c, fmt.Errorf("starting %s: %w", p.Command, err)
	}
	return c, nil
}

func shell(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/c", command}
	}
	return []string{"/bin/sh", "-c", command}
}

// line returns a program and its arguments as a shell command line, for display
// and for rules.
func line(command string, args []string) string {
	words := make([]string, 0, len(args)+1)
	for _, word := range append([]string{command}, args...) {
		if word == "" || strings.ContainsFunc(word, special) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func special(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:=,@%+", r)
}
