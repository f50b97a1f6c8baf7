package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/proc"
)

const endCommandDescription = "End a command that shell started in the background, with all processes that it started. " +
	"pid is the number in the result of shell. Use this tool instead of kill: in a sandbox, a command does not see the processes of others."

const endCommandSchema = `{"type":"object","required":["pid"],"additionalProperties":false,"properties":{"pid":{"type":"integer","minimum":1}}}`

type endCommandArgs struct {
	PID int `json:"pid"`
}

// EndCommand returns the tool that ends a background command of the session. It
// can end nothing else, so it runs in every mode without a question.
func EndCommand(resources *SessionResources) Tool {
	return Tool{
		Tool:     llm.Tool{Name: "end_command", Description: endCommandDescription, Schema: json.RawMessage(endCommandSchema)},
		Question: func(json.RawMessage) string { return "End a command in the background?" },
		Effect:   permit.Reads,
		Check: func(args json.RawMessage) error {
			a, err := parse[endCommandArgs](args)
			if err == nil && a.PID < 1 {
				err = errors.New("arguments: pid is missing")
			}
			return err
		},
		Run: func(ctx context.Context, call Call) Result {
			a, err := parse[endCommandArgs](call.Args)
			if err != nil {
				return failed(err)
			}
			report, err := resources.endCommand(call.Session, a.PID, bellcord.Forced(ctx))
			if err != nil {
				return failed(err)
			}
			return endedCommand(report)
		},
	}
}

// endCommand ends a background command, and waits until its processes are gone.
// Its output stays.
func (y *SessionResources) endCommand(session bellcord.SessionID, pid int, force <-chan struct{}) (proc.Report, error) {
	y.mu.Lock()
	i := slices.IndexFunc(y.running[session], func(k *kept) bool { return k.PID == pid })
	var k *kept
	if i >= 0 {
		k = y.running[session][i]
	}
	y.mu.Unlock()
	if k == nil {
		return proc.Report{}, fmt.Errorf("no command in the background has the pid %d; the result of shell has it", pid)
	}
	return k.End(force), nil
}

func endedCommand(r proc.Report) Result {
	processes := gone(proc.Exit{Report: r})
	if processes == nil {
		return finished("[the command had ended before]")
	}
	result := finished("[" + processes.EndedText() + "]")
	for _, p := range processes.Survivors {
		result.Text += fmt.Sprintf("\n[still running: %s, pid %d]", p.Name, p.PID)
		result.Failed = true
	}
	result.Processes = processes
	return result
}

// servers returns a function that returns the addresses at which the session's
// background commands listen; nil if none is running.
func (y *SessionResources) servers(session bellcord.SessionID) func() []netip.AddrPort {
	if len(y.List(session)) == 0 {
		return nil
	}
	return func() []netip.AddrPort {
		y.mu.Lock()
		all := slices.Clone(y.running[session])
		y.mu.Unlock()
		var pids []int
		for _, k := range all {
			for _, p := range k.Since(proc.Mark{}) {
				pids = append(pids, p.PID)
			}
		}
		return confine.Listening(pids)
	}
}

// noteKill adds a note to the result of a command that tries to end another one,
// which it does not see in the sandbox. A shell whose last process was ended by a
// signal has an exit code over 128: then the command has seen it.
func (y *SessionResources) noteKill(r *Result, call shellCall, code int) {
	hidden := r.Sandbox != nil && r.Sandbox.Level == bellcord.SandboxNamespaces
	if hidden && r.Failed && code <= 128 && kills().MatchString(call.Command) && len(y.List(call.Session)) > 0 {
		r.Text += "\n[in the sandbox, a command does not see the processes of others: end a background command with end_command]"
	}
}

var kills = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(kill|pkill|killall|fuser)\b`) })
