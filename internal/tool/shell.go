package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
	"github.com/bellcord/bellcord/internal/tool/command"
	"github.com/bellcord/bellcord/internal/tool/workspace"
	"github.com/bellcord/bellcord/proc"
)

const shellDescription = "Run a command with bash (or sh) and return its output (stdout and stderr together) and exit code. " +
	"Every command starts in the working directory, or in workdir inside it: cd and export do not affect later commands. There is no terminal and no input; editors and pagers are disabled. " +
	"All processes that the command started are ended when it ends. timeout is in seconds (default 120, at most 3600). " +
	"A long output is cut to its head and tail; the result names a file with all of it, which read_file and grep can read. " +
	"To keep a command running, such as a development server, set background: the call returns immediately, " +
	"the command's output goes to the file named in the result, and the command runs until end_command or the end of the session. Other commands reach its ports on 127.0.0.1."

const shellSchema = `{"type":"object","required":["command"],"additionalProperties":false,"properties":{` +
	`"command":{"type":"string"},"timeout":{"type":"integer","minimum":1,"maximum":3600},"background":{"type":"boolean"},"workdir":{"type":"string"}}}`

type shellArgs struct {
	Command    string `json:"command"`
	Timeout    int    `json:"timeout,omitempty"`
	Background bool   `json:"background,omitempty"`
	Workdir    string `json:"workdir,omitempty"`

	WithoutSandbox bool `json:"without_sandbox,omitempty"`
}

// shellCall is a call of the tool with its arguments.
type shellCall struct {
	Call
	shellArgs
	dir string // that the command starts in
}

// defaultTimeout applies to commands without a timeout.
const defaultTimeout = 120 * time.Second

// Shell returns the tool that runs commands in the session's directory. keeper
// contains their processes; resources keeps background commands and outputs.
func Shell(keeper *proc.Keeper, resources *SessionResources) Tool {
	t := Tool{
		Tool: llm.Tool{Name: "shell", Description: shellDescription, Schema: json.RawMessage(shellSchema)},
		Question: func(args json.RawMessage) string {
			a, _ := parse[shellArgs](args) // checked before
			return a.question()
		},
		AnyFile: true,
		Effect:  permit.Executes,
		Subject: named("command"),
		Exact: func(args json.RawMessage) string {
			a, _ := parse[shellArgs](args) // checked before
			return exactCommand(a)
		},
		Altered: func(args json.RawMessage) bool {
			a, _ := parse[shellArgs](args) // checked before
			// The same command may do something else in another directory, or with
			// the network that the background has.
			return a.Workdir != "" || a.Background && resources != nil && resources.Confine.WidensInBackground()
		},
		Check: func(args json.RawMessage) error {
			_, err := parseShell(args)
			return err
		},
		Run: func(ctx context.Context, call Call) Result {
			a, err := parseShell(call.Args)
			c := shellCall{Call: call, shellArgs: a}
			if err == nil {
				c.dir, err = a.dir(call)
			}
			switch {
			case err != nil:
				return failed(err)
			case a.Background:
				return resources.startCommand(keeper, c)
			}
			return shell(ctx, keeper, resources, c)
		},
	}
	if resources != nil && resources.Confine.Sandboxed() {
		t = resources.sandboxed(t)
	}
	return t
}

// question returns the question for the user's approval. A long command may be cut
// where the question is shown, so how it runs is before it.
func (a shellArgs) question() string {
	how := ""
	if a.WithoutSandbox {
		how += " without the sandbox"
	}
	if a.Background {
		how += " in the background"
	}
	if a.Workdir != "" {
		how += " in " + workspace.Shown(a.Workdir)
	}
	if how != "" {
		how += ":"
	}
	return "Run" + how + " `" + a.Command + "`?"
}

// mostTimeout is the longest timeout of a command, in seconds. A larger number
// is in milliseconds.
const mostTimeout = 3600

func parseShell(args json.RawMessage) (shellArgs, error) {
	a, err := parse[shellArgs](args)
	switch {
	case err != nil:
	case strings.TrimSpace(a.Command) == "":
		err = errors.New("arguments: command is missing")
	case a.Timeout < 0 || a.Timeout > mostTimeout*1000:
		err = fmt.Errorf("arguments: timeout must be between 1 and %d seconds", mostTimeout)
	}
	return a, err
}

// dir returns the directory that a command starts in.
func (a shellArgs) dir(call Call) (string, error) {
	if err := call.dirs().Check(); err != nil {
		return "", err
	}
	if a.Workdir == "" {
		return call.Dir, nil
	}
	dir, err := call.dirs().Place(a.Workdir)
	if err != nil {
		return "", fmt.Errorf("workdir: %w", err)
	}
	return dir, nil
}

// exactCommand returns the command byte for byte and how it is started. The
// timeout is not part of it: it limits how long a command runs, but does not
// change what it does.
func exactCommand(a shellArgs) string {
	a.Timeout = 0
	text, err := json.Marshal(a)
	if err != nil { // cannot happen with a string and a bool
		return ""
	}
	return string(text)
}

func (a shellArgs) timeout() time.Duration {
	switch {
	case a.Timeout > mostTimeout:
		return time.Duration(a.Timeout) * time.Millisecond
	case a.Timeout > 0:
		return time.Duration(a.Timeout) * time.Second
	}
	return defaultTimeout
}

func shell(ctx context.Context, keeper *proc.Keeper, resources *SessionResources, call shellCall) Result {
	limited, done := context.WithTimeout(ctx, call.timeout())
	defer done()
	out := command.NewSpill(resources.outputs(call.Session))
	defer resources.keep(call.Session, out)
	var text command.TextStream
	var clean command.Plaintext
	c := resources.confined(call)
	c.Owner = string(call.Turn)
	c.Output = func(data []byte) {
		if s := text.Next(data); s != "" {
			out.Add(clean.Next(s))
			call.Output(s)
		}
	}
	prepared, err := resources.prepare(keeper, c)
	if err != nil {
		return failed(err)
	}
	exit, err := prepared.Run(limited, bellcord.Forced(ctx))
	if err != nil {
		return failed(err)
	}
	out.Add(clean.Rest())
	result := call.ended(ctx, out.String(), exit)
	result.Sandbox = prepared.Sandbox
	if prepared.Flooded() {
		result.Text += fmt.Sprintf("\n[the command wanted to reach more than %d hosts that nobody has allowed: the others were refused without a question]", netproxy.MostRefused)
	}
	resources.noteFailure(&result, call, prepared.Online)
	resources.noteKill(&result, call, exit.Code)
	return result
}
