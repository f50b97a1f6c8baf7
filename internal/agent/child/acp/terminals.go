package acp

import (
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
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/proc"
	"github.com/bellcord/bellcord/internal/tool"
)

// mostOutput is how much of a command's output is kept, whatever is asked for.
const mostOutput = 1 << 20

// terminal is a command that the agent has us run. It ends with the turn.
type terminal struct {
	kill context.CancelCauseFunc
	done chan struct{} // closed when it and all that came from it is over; exit is then there
	exit proc.Exit

	mu     sync.Mutex
	most   int
	output []byte
	cut    bool

	released bool // guarded by the turn's lock
}

var errKilled = errors.New("the agent ended the command")

type createParams struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Dir  string `json:"cwd"`
	Most *int   `json:"outputByteLimit"`
}

// createTerminal starts a command and returns at once.
func (t *turn) createTerminal(ctx context.Context, p createParams) (any, error) {
	command, err := t.command(p)
	if err != nil {
		return nil, err
	}
	args, err := json.Marshal(obj{"command": command.Name})
	if err != nil {
		return nil, err
	}
	e, err := t.permit(ctx, effect{
		Call: permit.Call{Tool: "shell", Effect: permit.Executes, Subject: command.Name},
		args: args, sort: "execute", question: "Run `" + command.Name + "`?",
	})
	if err != nil {
		return nil, err
	}
	one := &terminal{done: make(chan struct{}), most: mostOutput}
	if p.Most != nil && *p.Most >= 0 {
		one.most = min(*p.Most, mostOutput)
	}
	command.Output = func(data []byte) {
		one.add(data)
		if e.own != "" {
			t.emit(bellcord.CallOutput{Call: e.own, Text: strings.ToValidUTF8(string(data), "\uFFFD")})
		}
	}
	running, kill := context.WithCancelCause(t.errands) //nolint:forbidigo // of one command, which the agent may end
	one.kill = kill
	t.speaker.mu.Lock()
	t.speaker.terminals++
	id := fmt.Sprintf("terminal-%d", t.speaker.terminals)
	t.speaker.mu.Unlock()
	t.mu.Lock()
	t.terminals[id] = one
	t.mu.Unlock()
	t.work.Go(func() { // the request that made it is still counted, so nobody has stopped waiting
		defer kill(errOver)
		t.run(running, one, command, e)
	})
	return obj{"terminalId": id}, nil
}

// run sees a command to its end, with all that came from it.
func (t *turn) run(ctx context.Context, one *terminal, command proc.Command, e effect) {
	defer close(one.done)
	exit, err := t.opts.Keeper.Run(ctx, command, bellcord.Forced(t.ctx))
	if err != nil {
		one.add([]byte("error: " + err.Error()))
		exit = proc.Exit{Code: 127}
	}
	one.exit = exit
	end := bellcord.CallEnded{Fate: bellcord.Finished, Failed: exit.Code != 0, Text: one.text(), Processes: ended(exit)}
	switch {
	case err != nil:
		end.Fate = bellcord.NotStarted
	case exit.How != proc.Exited && !errors.Is(context.Cause(ctx), errKilled):
		end.Fate, end.Text = bellcord.CallStopped, bellcord.ResultText(bellcord.CallStopped, end.Text)
	}
	t.done(e, end)
}

// command is what is run. Many agents write a whole line where the protocol has
// the name of a program: then a shell reads it.
func (t *turn) command(p createParams) (proc.Command, error) {
	c := proc.Command{Owner: string(t.w.Turn), Dir: t.w.Session.Dir, Env: environment(), Bare: true, Name: line(p.Command, p.Args)}
	switch {
	case t.opts.Keeper == nil:
		return c, errors.New("there are no terminals here")
	case strings.TrimSpace(p.Command) == "":
		return c, invalid("command is missing")
	case p.Dir != "":
		if _, inside := within(c.Dir, p.Dir); !inside || !filepath.IsAbs(p.Dir) {
			return c, invalid("cwd is outside of the session's directory")
		}
		c.Dir = p.Dir
	}
	for _, v := range p.Env {
		c.Env = append(c.Env, v.Name+"="+v.Value)
	}
	if len(p.Args) == 0 && strings.ContainsAny(strings.TrimSpace(p.Command), " \t\n;|&<>$`") {
		c.Args = shell(p.Command)
		return c, nil
	}
	c.Args = append([]string{p.Command}, p.Args...)
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

// line is a command as a person would type it, and as rules see it.
func line(command string, args []string) string {
	if len(args) == 0 {
		return command
	}
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

// environment is what commands of a hosted agent get: of ours, no key of any model.
func environment() []string {
	return slices.DeleteFunc(tool.Environment(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return strings.HasSuffix(name, "_API_KEY")
	})
}
