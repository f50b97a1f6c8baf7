package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/proc"
)

const shellDescription = "Run a shell command in the working directory and return its output (stdout and stderr together) and exit code. " +
	"All processes that the command started are ended when it ends. timeout is in seconds (default 120). " +
	"To keep a command running, such as a development server, set background: the call returns immediately, " +
	"the command's output goes to the file named in the result, and the command ends with the session."

const shellSchema = `{"type":"object","required":["command"],"additionalProperties":false,"properties":{` +
	`"command":{"type":"string"},"timeout":{"type":"integer","minimum":1,"maximum":3600},"background":{"type":"boolean"}}}`

type shellArgs struct {
	Command    string `json:"command"`
	Timeout    int    `json:"timeout,omitempty"`
	Background bool   `json:"background,omitempty"`
}

// defaultTimeout applies to commands without a timeout.
const defaultTimeout = 120 * time.Second

// Shell returns the tool that runs commands in the session's directory. keeper
// contains their processes; yard keeps background commands.
func Shell(keeper *proc.Keeper, resources *SessionResources) Tool {
	return Tool{
		Tool: llm.Tool{Name: "shell", Description: shellDescription, Schema: json.RawMessage(shellSchema)},
		Question: func(args json.RawMessage) string {
			a, _ := parse[shellArgs](args) // checked before
			if a.Background {
				return "Run `" + a.Command + "` in the background?"
			}
			return "Run `" + a.Command + "`?"
		},
		Effect:  permit.Executes,
		Subject: named("command"),
		Exact: func(args json.RawMessage) string {
			a, _ := parse[shellArgs](args) // checked before
			return exactCommand(a)
		},
		Check: func(args json.RawMessage) error {
			a, err := parse[shellArgs](args)
			if err == nil && strings.TrimSpace(a.Command) == "" {
				err = errors.New("arguments: command is missing")
			}
			return err
		},
		Run: func(ctx context.Context, call Call) Result {
			a, err := parse[shellArgs](call.Args)
			switch {
			case err != nil:
				return failed(err)
			case a.Background:
				return resources.startCommand(keeper, call, a.Command)
			}
			return shell(ctx, keeper, resources, call, a)
		},
	}
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
	if a.Timeout > 0 {
		return time.Duration(a.Timeout) * time.Second
	}
	return defaultTimeout
}

func shell(ctx context.Context, keeper *proc.Keeper, resources *SessionResources, call Call, a shellArgs) Result {
	limited, done := context.WithTimeout(ctx, a.timeout())
	defer done()
	out := newSpill(resources.outputs(call.Session))
	defer resources.keep(call.Session, out)
	var text utf8Stream
	exit, err := keeper.Run(limited, proc.Command{
		Args: interpreter(a.Command), Dir: call.Dir, Name: a.Command, Owner: string(call.Turn),
		Env: resources.Env.Pairs(), Bare: true,
		Output: func(data []byte) {
			if s := text.next(data); s != "" {
				out.addPiece(s)
				call.Output(s)
			}
		},
	}, bellcord.Forced(ctx))
	if err != nil {
		return failed(err)
	}
	result := finished(out.String())
	result.Processes = gone(exit)
	switch {
	case ctx.Err() != nil && exit.How != proc.Exited:
		result.Fate = bellcord.CallStopped
		result.Text = bellcord.ResultText(result.Fate, result.Text)
	case exit.How != proc.Exited:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[ended after %s: timeout]", a.timeout())
	case exit.Code != 0:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[exit code %d]", exit.Code)
	}
	return result
}

// gone returns the processes of a command for the receipt: those that had to be
// ended, survivors, and the proof. It returns nil for a command that simply
// exited.
func gone(exit proc.Exit) *bellcord.Processes {
	p := &bellcord.Processes{Proof: exit.Proof}
	for _, e := range exit.Ended {
		if e.How != proc.Exited {
			p.Ended = append(p.Ended, process(e))
		}
	}
	for _, e := range exit.Survivors {
		p.Survivors = append(p.Survivors, process(e))
	}
	if len(p.Ended)+len(p.Survivors) == 0 {
		return nil
	}
	return p
}

func process(e proc.Ended) bellcord.Process {
	return bellcord.Process{PID: e.PID, Name: e.Name, How: string(e.How)}
}

func interpreter(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/c", command}
	}
	return []string{"/bin/sh", "-c", command}
}

// utf8Stream converts bytes to text piece by piece. A character that is split
// between two reads is held back until it is complete; invalid bytes are
// replaced.
type utf8Stream struct{ rest []byte }

func (u *utf8Stream) next(data []byte) string {
	data = append(u.rest, data...)
	end := len(data)
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		if b := data[len(data)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(data[len(data)-back:]) {
				end = len(data) - back
			}
			break
		}
	}
	u.rest = append([]byte(nil), data[end:]...)
	return strings.ToValidUTF8(string(data[:end]), "\uFFFD")
}
