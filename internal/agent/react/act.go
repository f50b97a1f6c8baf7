package react

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

// call is a tool call that was parsed, or has an ArgumentError and is never
// started.
type call struct {
	bellcord.ToolCallRequested
	tool tool.Tool
}

// understand finds the tool and parses the arguments strictly. A call with
// arguments that are not one complete JSON object is recorded with an empty
// object, which every model accepts, and with a description of the problem.
func understand(c llm.Call, tools []tool.Tool) call {
	made := call{ToolCallRequested: bellcord.ToolCallRequested{Call: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Args), Signature: c.Seal}}
	if len(c.Args) > bellcord.MaxArguments {
		made.Arguments = json.RawMessage(`{}`)
		made.ArgumentError = fmt.Sprintf("the arguments are longer than %d bytes: split the work into smaller calls", bellcord.MaxArguments)
		return made
	}
	if err := completeObject(c.Args); err != nil {
		made.Arguments = json.RawMessage(`{}`)
		made.ArgumentError = fmt.Sprintf("the arguments are not a complete JSON object (%v): %q", err, beginning(c.Args))
		return made
	}
	i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name == c.Name })
	if i < 0 {
		made.Name = proper(c.Name)
		made.ArgumentError = fmt.Sprintf("unknown tool %q", c.Name)
		return made
	}
	made.tool = tools[i]
	if err := made.tool.Check(made.Arguments); err != nil {
		made.ArgumentError = err.Error()
	}
	return made
}

// beginning returns the first 2000 bytes of a text, enough to recognize it.
func beginning(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// proper replaces the characters of a name that some model would reject in a
// later request, and truncates the name to 64 bytes.
func proper(name string) string {
	name = improper().ReplaceAllString(name, "_")
	return name[:min(len(name), 64)]
}

var improper = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^a-zA-Z_]|[^a-zA-Z0-9_-]`) })

func completeObject(args string) error {
	d := json.NewDecoder(bytes.NewReader([]byte(args)))
	var object map[string]json.RawMessage
	if err := d.Decode(&object); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || object == nil {
		return errors.New("not exactly one object")
	}
	return nil
}

// act runs the calls in order: consecutive calls that are safe to run
// concurrently run in parallel, the others one by one. A stop keeps the results
// of finished calls and prevents further calls from starting.
func (a *Agent) act(ctx context.Context, w *hub.Work, calls []call) error {
	for len(calls) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := 1
		for calls[0].tool.Safe && n < len(calls) && calls[n].tool.Safe {
			n++
		}
		errs := make([]error, n)
		var all sync.WaitGroup
		for i, c := range calls[:n] {
			all.Go(func() { errs[i] = a.carryOut(ctx, w, c) })
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		calls = calls[n:]
	}
	return nil
}

// carryOut runs one call. Its start is durable before its effect (law 26). A
// tool that panics fails its turn, not the process.
func (a *Agent) carryOut(ctx context.Context, w *hub.Work, c call) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v\n%s", c.Name, p, debug.Stack())
		}
	}()
	if c.ArgumentError != "" {
		return w.Emit(notStarted(c, c.ArgumentError))
	}
	if refused, err := a.permit(ctx, w, c); err != nil {
		return err
	} else if refused != "" {
		return w.Emit(notStarted(c, refused))
	}
	if err := w.Emit(bellcord.ToolCallStarted{Call: c.Call}); err != nil {
		return err
	}
	if err := w.Sync(ctx); err != nil || ctx.Err() != nil {
		never := bellcord.ToolCallEnded{Call: c.Call, Outcome: bellcord.CallNotStarted, Result: bellcord.ResultText(bellcord.CallNotStarted, "")}
		return errors.Join(err, context.Cause(ctx), w.Emit(never))
	}
	result := c.tool.Run(ctx, tool.Call{
		Turn: w.Turn, Session: w.Session.ID,
		Dir:       w.Session.Dir,
		Args:      c.Arguments,
		Output:    func(s string) { _ = w.Emit(bellcord.ToolOutputDelta{Call: c.Call, Text: s}) }, // fails only after the turn has ended
		Confirmed: func(p bellcord.Process) { w.Confirm(c.Call, p) },
	})
	if result.Processes != nil && len(result.Processes.Unconfirmed) == 0 {
		w.Mark(hub.MomentProcessEnded)
	}
	return w.Emit(bellcord.ToolCallEnded{
		Call: c.Call, Outcome: result.Fate, Failed: result.Failed, Result: result.Text, Processes: result.Processes,
	})
}

func notStarted(c call, why string) bellcord.ToolCallEnded {
	return bellcord.ToolCallEnded{Call: c.Call, Outcome: bellcord.CallNotStarted, Failed: true, Result: "[not started: " + why + "]"}
}
