package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/tool"
)

// reply is a scripted reply to a method: a result or an error after a delay, or
// no reply.
type reply struct {
	after  time.Duration
	result string // JSON
	err    string
	never  bool
}

// terminals is an editor with one terminal. Methods that are not in the map
// succeed at once.
type terminals map[string]reply

// serve answers the requests of the server independently of each other, and
// returns a function that lists their methods.
func (t terminals) serve(e *editor) (requests func() []string) {
	return e.serve(func(f frame) obj {
		r, scripted := t[f.Method]
		if !scripted {
			r.result = map[string]string{
				"terminal/create": `{"terminalId":"t1"}`,
				"terminal/output": `{"output":"part","truncated":false}`,
			}[f.Method]
			if r.result == "" {
				r.result = `{}`
			}
		}
		body := `"result":` + r.result
		if r.err != "" {
			body = `"error":{"code":-32603,"message":"` + r.err + `"}`
		}
		if !r.never {
			time.AfterFunc(r.after, func() {
				_, _ = fmt.Fprintf(e.wire, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", f.ID, body) // fails after the end of the test
			})
		}
		return nil
	})
}

// runsInTerminal is an agent that makes one shell call in the editor's
// terminal.
func runsInTerminal(tools *atomic.Pointer[acp.EditorTools]) script {
	return func(ctx context.Context, w *hub.Work) error {
		offered := tool.EditorTools{Run: func(ctx context.Context, c tool.EditorCommand) (tool.EditorExit, error) {
			exit, err := tools.Load().Terminal(ctx, acp.Command(c))
			if err != nil {
				err = fmt.Errorf("%w: %w", tool.ErrEditorNotRun, err)
			}
			return tool.EditorExit(exit), err
		}}
		args := json.RawMessage(`{"command":"make"}`)
		_ = w.Emit(bellcord.ToolCallRequested{Call: "c", Name: "shell", Arguments: args})
		_ = w.Emit(bellcord.ToolCallStarted{Call: "c"})
		r := offered.Tools([]tool.Tool{tool.Shell(nil, nil)})[0].Run(ctx, tool.Call{
			Turn: w.Turn, Session: w.Session.ID, Dir: "/", Args: args,
			Output:    func(s string) { _ = w.Emit(bellcord.ToolOutputDelta{Call: "c", Text: s}) },
			Confirmed: func(p bellcord.Process) { w.Report().Confirm("c", p) },
		})
		_ = w.Emit(bellcord.ToolCallEnded{Call: "c", Outcome: r.Fate, Failed: r.Failed, Result: r.Text, Processes: r.Processes})
		return context.Cause(ctx)
	}
}

// receipt returns the receipt in the reply to a prompt.
func receipt(t *testing.T, f frame) bellcord.Receipt {
	t.Helper()
	var r bellcord.Receipt
	meta, _ := f.Result["_meta"].(obj)
	if err := json.Unmarshal([]byte(text(meta["bellcord/receipt"])), &r); err != nil || r.Turn == "" {
		t.Fatalf("no receipt in %+v: %v", f, err)
	}
	return r
}

// confirmations returns the session's events that confirm the end of a process.
func (e *editor) confirmations() []bellcord.ProcessConfirmed {
	var all []bellcord.ProcessConfirmed
	events, err := e.store.Events(e.t.Context(), bellcord.SessionID(e.session), 0, 1000)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, ev := range events {
		if b, is := ev.Body.(bellcord.ProcessConfirmed); is {
			if ev.Turn != "" {
				e.t.Errorf("the confirmation belongs to turn %s, want none", ev.Turn)
			}
			all = append(all, b)
		}
	}
	return all
}

// results returns the results of the session's calls.
func (e *editor) results() (all []string) {
	events, err := e.store.Events(e.t.Context(), bellcord.SessionID(e.session), 0, 1000)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, ev := range events {
		if b, is := ev.Body.(bellcord.ToolCallEnded); is {
			all = append(all, b.Result)
		}
	}
	return all
}

func TestLaw15_TerminalKilled_OrderIsKillOutputRelease(t *testing.T) {
	t.Parallel()
	var tools atomic.Pointer[acp.EditorTools]
	edit(t, runsInTerminal(&tools), withEditorTools(&tools), func(t *testing.T, e *editor) {
		requests := terminals{}.serve(e)
		id := e.prompt("build")
		<-time.After(600 * time.Millisecond)
		began := time.Now()
		e.notify("session/cancel", e.here())
		r := receipt(t, e.answer(id))
		if took := time.Since(began); took != 0 {
			t.Errorf("the stop took %v, want 0", took)
		}
		methods := requests()
		if end := methods[len(methods)-3:]; !slices.Equal(end, []string{"terminal/kill", "terminal/output", "terminal/release"}) {
			t.Errorf("requests %v", methods)
		}
		if len(r.Processes.Ended) != 1 || len(r.Processes.Unconfirmed) != 0 || len(r.Calls.Stopped) != 1 {
			t.Errorf("receipt %+v", r)
		}
	})
}

// A stop arrives while the editor opens the terminal. However long that takes,
// the terminal is killed and released when its id arrives.
func TestLaw15_StopDuringTerminalCreate_KillsAndReleasesTheTerminal(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{5 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 150 * time.Millisecond, 5 * time.Second, time.Minute} {
		t.Run(after.String(), func(t *testing.T) {
			t.Parallel()
			var tools atomic.Pointer[acp.EditorTools]
			edit(t, runsInTerminal(&tools), withEditorTools(&tools), func(t *testing.T, e *editor) {
				requests := terminals{"terminal/create": {after: after, result: `{"terminalId":"t1"}`}}.serve(e)
				id := e.prompt("build")
				synctest.Wait()
				began := time.Now()
				e.notify("session/cancel", e.here())
				r := receipt(t, e.answer(id))
				late := after > 3*time.Second
				if took := time.Since(began); took != min(after, 3*time.Second) {
					t.Errorf("the stop took %v", took)
				}
				if (len(r.Processes.Unconfirmed) == 1 && len(r.Calls.Unknown) == 1 && len(r.Processes.Ended) == 0) != late || r.Calls.Finished != 0 {
					t.Errorf("receipt %+v, late %v", r, late)
				}
				<-time.After(after)
				synctest.Wait()
				methods := requests()
				if !slices.Contains(methods, "terminal/kill") || !slices.Contains(methods, "terminal/release") {
					t.Errorf("requests %v, want a kill and a release", methods)
				}
				if confirmed := e.confirmations(); (len(confirmed) == 1) != late {
					t.Errorf("confirmations %+v, late %v", confirmed, late)
				} else if late && (confirmed[0].Turn != r.Turn || confirmed[0].Call != "c" || confirmed[0].Process.Name != "make" || confirmed[0].Process.How != "terminated") {
					t.Errorf("confirmation %+v", confirmed[0])
				}
			})
		})
	}
}

func TestLaw25_TerminalNotConfirmedAsEnded_IsUnknownOnTheReceipt(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script      terminals
		took        time.Duration
		unconfirmed bool
		fate        bellcord.CallOutcome
		later       string // Process.How of a later confirmation, if any
	}{
		"kill never answered":   {terminals{"terminal/kill": {never: true}}, 3 * time.Second, true, bellcord.CallUnknown, ""},
		"kill refused":          {terminals{"terminal/kill": {err: "no"}}, 0, true, bellcord.CallUnknown, ""},
		"kill late":             {terminals{"terminal/kill": {after: 5 * time.Second, result: `{}`}}, 3 * time.Second, true, bellcord.CallUnknown, "terminated"},
		"kill garbled":          {terminals{"terminal/kill": {result: `[1,2]`}}, 0, true, bellcord.CallUnknown, ""},
		"kill answered by null": {terminals{"terminal/kill": {result: `null`}}, 0, false, bellcord.CallStopped, ""},
		"kill refused, but the command had ended": {terminals{
			"terminal/kill":   {err: "it has exited"},
			"terminal/output": {after: 100 * time.Millisecond, result: `{"output":"part","truncated":false,"exitStatus":{"exitCode":0}}`},
		}, 100 * time.Millisecond, false, bellcord.CallFinished, ""},
		"create never answered":  {terminals{"terminal/create": {never: true}}, 3 * time.Second, true, bellcord.CallUnknown, ""},
		"create refused late":    {terminals{"terminal/create": {after: 5 * time.Second, err: "no"}}, 3 * time.Second, true, bellcord.CallUnknown, "not_started"},
		"create refused in time": {terminals{"terminal/create": {after: time.Second, err: "no"}}, time.Second, false, bellcord.CallNotStarted, ""},
		"create garbled late":    {terminals{"terminal/create": {after: time.Second, result: `[1,2]`}}, time.Second, true, bellcord.CallUnknown, ""},
		"create answered by null": {
			terminals{"terminal/create": {after: time.Second, result: `null`}}, time.Second, true, bellcord.CallUnknown, "",
		},
		"last output never answered": {terminals{"terminal/output": {never: true}}, time.Second, false, bellcord.CallStopped, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tools atomic.Pointer[acp.EditorTools]
			edit(t, runsInTerminal(&tools), withEditorTools(&tools), func(t *testing.T, e *editor) {
				test.script.serve(e)
				id := e.prompt("build")
				synctest.Wait()
				began := time.Now()
				e.notify("session/cancel", e.here())
				r := receipt(t, e.answer(id))
				if took := time.Since(began); took != test.took {
					t.Errorf("the stop took %v, want %v", took, test.took)
				}
				if (len(r.Processes.Unconfirmed) == 1) != test.unconfirmed || test.unconfirmed && len(r.Processes.Ended) > 0 {
					t.Errorf("processes %+v, want unconfirmed: %v", r.Processes, test.unconfirmed)
				}
				counted := map[bellcord.CallOutcome]int{
					bellcord.CallUnknown: len(r.Calls.Unknown), bellcord.CallStopped: len(r.Calls.Stopped),
					bellcord.CallFinished: r.Calls.Finished, bellcord.CallNotStarted: len(r.Calls.NotStarted),
				}
				if counted[test.fate] != 1 {
					t.Errorf("calls %+v, want one %s", r.Calls, test.fate)
				}
				<-time.After(time.Minute)
				synctest.Wait()
				confirmed := e.confirmations()
				if (len(confirmed) == 1) != (test.later != "") || len(confirmed) == 1 && confirmed[0].Process.How != test.later {
					t.Errorf("confirmations %+v, want %q", confirmed, test.later)
				}
				after, err := e.store.Turn(t.Context(), r.Turn)
				if err != nil || text(after.Receipt) != text(r) {
					t.Errorf("the receipt changed to %+v (%v)", after.Receipt, err)
				}
			})
		})
	}
}

// The turn goes on after a refusal, and its receipt claims no end of a command
// that never ran.
func TestLaw25_TerminalRefused_CommandIsNotStartedOnTheReceipt(t *testing.T) {
	t.Parallel()
	var tools atomic.Pointer[acp.EditorTools]
	edit(t, runsInTerminal(&tools), withEditorTools(&tools), func(t *testing.T, e *editor) {
		terminals{"terminal/create": {err: "the editor says no"}}.serve(e)
		r := receipt(t, e.answer(e.prompt("build")))
		if len(r.Processes.Ended) != 0 || r.Processes.Proof != "" || len(r.Calls.NotStarted) != 1 || r.Calls.Finished != 0 {
			t.Errorf("%s, processes %+v, calls %+v", r.End, r.Processes, r.Calls)
		}
		want := "[not started: the editor did not open a terminal: no command ran: the editor says no (-32603)]"
		if results := e.results(); !slices.Equal(results, []string{want}) {
			t.Errorf("results %q, want %q", results, want)
		}
	})
}

// A forced stop leaves the editor half a second, so the agent returns before it
// is abandoned.
func TestLaw12_ForcedStop_EditorSilent_ReturnsBeforeTheAgentIsAbandoned(t *testing.T) {
	t.Parallel()
	var tools atomic.Pointer[acp.EditorTools]
	edit(t, runsInTerminal(&tools), withEditorTools(&tools), func(t *testing.T, e *editor) {
		terminals{"terminal/kill": {never: true}}.serve(e)
		id := e.prompt("build")
		synctest.Wait()
		began := time.Now()
		e.hub.Stop(bellcord.StopRequest{Session: bellcord.SessionID(e.session), Mode: bellcord.StopForce})
		r := receipt(t, e.answer(id))
		if took := time.Since(began); took != 500*time.Millisecond || r.AgentAbandoned || len(r.Processes.Unconfirmed) != 1 {
			t.Errorf("after %v: %+v", took, r)
		}
	})
}

func TestTerminal_BlankVariables_AreSetToEmpty(t *testing.T) {
	t.Parallel()
	var tools atomic.Pointer[acp.EditorTools]
	agent := script(func(ctx context.Context, _ *hub.Work) error {
		_, err := tools.Load().Terminal(ctx, acp.Command{Args: []string{"make"}, Dir: "/", Env: map[string]string{"A_TOKEN": "", "B_KEY": ""}, Output: func(string) {}})
		return err
	})
	edit(t, agent, withEditorTools(&tools), func(t *testing.T, e *editor) {
		var created obj
		e.serve(func(f frame) obj {
			switch f.Method {
			case "terminal/create":
				created = f.Params
				return obj{"terminalId": "t1"}
			case "terminal/wait_for_exit":
				return obj{"exitCode": 0}
			case "terminal/output":
				return obj{"output": "", "truncated": false, "exitStatus": obj{"exitCode": 0}}
			}
			return obj{}
		})
		e.answer(e.prompt("build"))
		if env := text(created["env"]); env != `[{"name":"A_TOKEN","value":""},{"name":"B_KEY","value":""}]` {
			t.Errorf("env %s", env)
		}
	})
}
