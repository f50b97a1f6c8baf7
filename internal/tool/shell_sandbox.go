package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
	"github.com/bellcord/bellcord/internal/tool/command"
	"github.com/bellcord/bellcord/proc"
)

const (
	confinedDescription = " Commands run in a sandbox: they can write only in the session's directories, in caches and in /tmp, and cannot see credentials or the processes of other commands."
	optionalDescription = " If a command failed because of the sandbox, call it again with without_sandbox: the user is asked each time."
	requiredDescription = " No command can run without it."
)

const sandboxSchema = `,"without_sandbox":{"type":"boolean"}`

// sandboxed returns the shell tool with what a sandbox adds to it.
func (y *SessionResources) sandboxed(t Tool) Tool {
	t.Confined = func(call Call) string {
		a, _ := parse[shellArgs](call.Args) // checked before
		if a.WithoutSandbox {
			return ""
		}
		return y.Confine.Sentence(y.confined(shellCall{Call: call, shellArgs: a}))
	}
	t.Description += confinedDescription
	if y.Confine.Required {
		return y.required(t)
	}
	t.Description += optionalDescription
	t.Schema = json.RawMessage(strings.TrimSuffix(shellSchema, "}}") + sandboxSchema + "}}")
	t.EachTime = func(args json.RawMessage) string {
		if a, _ := parse[shellArgs](args); a.WithoutSandbox { // checked before
			return "it would run without the sandbox, with all rights of your user"
		}
		return ""
	}
	t.Refuse = func(_ context.Context, call Call) error {
		a, _ := parse[shellArgs](call.Args) // checked before
		if !a.WithoutSandbox || y.failed.contains(call.Session, a.sandboxedForm()) {
			return nil
		}
		return errors.New("without_sandbox is only for a command that has failed in the sandbox: run it in the sandbox first")
	}
	return t
}

// errRequired refuses a command that would leave the sandbox.
var errRequired = errors.New("without_sandbox does not exist here: sandbox.mode in the settings is \"require\", so every command runs in the sandbox")

// required returns the shell tool of which no command leaves the sandbox.
func (y *SessionResources) required(t Tool) Tool {
	t.Description += requiredDescription
	check, run := t.Check, t.Run
	t.Check = func(args json.RawMessage) error {
		if a, _ := parse[shellArgs](args); a.WithoutSandbox {
			return errRequired
		}
		return check(args)
	}
	t.Run = func(ctx context.Context, call Call) Result {
		if err := t.Check(call.Args); err != nil {
			return failed(err)
		}
		return run(ctx, call)
	}
	return t
}

// sandboxedForm returns the exact command as it runs in the sandbox.
func (a shellArgs) sandboxedForm() string {
	a.WithoutSandbox = false
	return exactCommand(a)
}

// confined returns the command of a call with what its sandbox depends on.
func (y *SessionResources) confined(call shellCall) confine.Command {
	return confine.Command{
		Command: proc.Command{
			Args: command.Interpreter(call.Command), Dir: call.dir, Name: call.Command,
			Env: command.Environment(y.Env), Bare: true,
		},
		Kind: confine.Shell, Session: call.Session, Full: call.Mode == permit.Full,
		Dirs: append([]string{call.Dir}, call.AdditionalDirs...), Outside: call.WithoutSandbox, Ask: AskNetwork(call.Asker),
		Background: call.Background, Servers: y.servers(call.Session),
	}
}

// prepare returns a command in its sandbox, if one is configured.
func (y *SessionResources) prepare(keeper *proc.Keeper, c confine.Command) (*confine.Prepared, error) {
	return cmp.Or(y.Confine, &confine.Policy{Keeper: keeper}).Prepare(c)
}

// noteFailure records a command that has failed in the sandbox, and adds a note to
// its result if the sandbox may be the cause. online is set if the command had the
// network of the machine.
func (y *SessionResources) noteFailure(r *Result, call shellCall, online bool) {
	if r.Sandbox == nil || r.Sandbox.Level == bellcord.SandboxNone || !r.Failed {
		return
	}
	y.failed.add(call.Session, call.sandboxedForm())
	if hint := y.hint(r.Text, call, online); hint != "" {
		r.Text += "\n[" + hint + "]"
	}
}

// The choices for a host.
const (
	hostOnce    = "allow"
	hostSession = "allow_session"
	hostRefused = "reject"
)

// AskNetwork returns a function that asks whether a command may reach a host.
func AskNetwork(a Asker) func(context.Context, string) (netproxy.Answer, error) {
	if a == nil {
		return nil
	}
	return func(ctx context.Context, host string) (netproxy.Answer, error) {
		reply, err := a.AskForm(ctx, bellcord.Question{
			Text: "Allow network access to " + host + "?",
			Tool: "shell",
			Choices: []bellcord.Choice{
				{ID: hostOnce, Text: "Allow once", Kind: "allow_once"},
				{ID: hostSession, Text: "Allow for this session", Kind: "allow_always"},
				{ID: hostRefused, Text: "Reject", Kind: "reject_once"},
			},
		})
		switch {
		case err != nil:
			return netproxy.Refuse, err
		case reply.Choice == hostOnce:
			return netproxy.Once, nil
		case reply.Choice == hostSession:
			return netproxy.Session, nil
		}
		return netproxy.Refuse, nil
	}
}

// failedCommands are the commands that have failed in the sandbox, by session.
type failedCommands struct {
	mu  sync.Mutex
	all map[bellcord.SessionID][]string
}

// mostFailed is the number of failed commands that are kept per session.
const mostFailed = 100

func (f *failedCommands) add(id bellcord.SessionID, exact string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[bellcord.SessionID][]string{}
	}
	f.all[id] = append(f.all[id], exact)
	f.all[id] = f.all[id][max(0, len(f.all[id])-mostFailed):]
}

func (f *failedCommands) contains(id bellcord.SessionID, exact string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.all[id], exact)
}

func (f *failedCommands) drop(id bellcord.SessionID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, id)
}
