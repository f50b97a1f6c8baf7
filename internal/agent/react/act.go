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
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

// call is a tool call that is understood, or has a Problem and is never started.
type call struct {
	bellcord.Called
	tool tool.Tool
}

// understand finds the tool and parses the arguments, strictly: a call whose
// arguments are not one complete object is recorded with an empty one, which
// every model accepts, and with what was wrong with it.
func understand(c llm.Call, tools []tool.Tool) call {
	made := call{Called: bellcord.Called{Call: c.ID, Name: c.Name, Args: json.RawMessage(c.Args), Seal: c.Seal}}
	if err := completeObject(c.Args); err != nil {
		made.Args = json.RawMessage(`{}`)
		made.Problem = fmt.Sprintf("the arguments are not a complete JSON object (%v): %q", err, c.Args)
		return made
	}
	i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name == c.Name })
	if i < 0 {
		made.Name = proper(c.Name)
		made.Problem = fmt.Sprintf("there is no tool %q", c.Name)
		return made
	}
	made.tool = tools[i]
	if err := made.tool.Check(made.Args); err != nil {
		made.Problem = err.Error()
	}
	return made
}

// proper is a name that every model takes back, made from one that some model
// came up with.
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
		return errors.New("not one object")
	}
	return nil
}

// act carries out the calls: neighbours that are safe beside each other at the
// same time, the others one by one. A stop keeps what has finished; what had
// not started never does.
func (a *Agent) act(ctx context.Context, w *bellcord.Work, calls []call) error {
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

// carryOut does one call. Its start is durable before its effect (law 26). A
// tool that panics fails its turn, not the process.
func (a *Agent) carryOut(ctx context.Context, w *bellcord.Work, c call) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v\n%s", c.Name, p, debug.Stack())
		}
	}()
	if c.Problem != "" {
		return w.Emit(notStarted(c, c.Problem))
	}
	if refused, err := a.permit(ctx, w, c); err != nil {
		return err
	} else if refused != "" {
		return w.Emit(notStarted(c, refused))
	}
	if err := w.Emit(bellcord.CallStarted{Call: c.Call}); err != nil {
		return err
	}
	if err := w.Sync(ctx); err != nil || ctx.Err() != nil {
		never := bellcord.CallEnded{Call: c.Call, Fate: bellcord.NotStarted, Text: bellcord.ResultText(bellcord.NotStarted, "")}
		return errors.Join(err, context.Cause(ctx), w.Emit(never))
	}
	result := c.tool.Run(ctx, tool.Call{
		Turn: w.Turn, Session: w.Session.ID,
		Dir:    w.Session.Dir,
		Args:   c.Args,
		Output: func(s string) { _ = w.Emit(bellcord.CallOutput{Call: c.Call, Text: s}) }, // refused only once the turn is over
	})
	if result.Processes != nil {
		w.Mark(bellcord.ProcessGone)
	}
	return w.Emit(bellcord.CallEnded{
		Call: c.Call, Fate: result.Fate, Failed: result.Failed, Text: result.Text, Processes: result.Processes,
	})
}

func notStarted(c call, why string) bellcord.CallEnded {
	return bellcord.CallEnded{Call: c.Call, Fate: bellcord.NotStarted, Failed: true, Text: "[not started: " + why + "]"}
}
