package react

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// call is a tool call that was parsed, or has an ArgumentError and is never
// started.
type call struct {
	bellcord.ToolCallRequested
	tool    tool.Tool
	refused string // why it is not started, although the model's call may be valid
	typed   bool   // the user has typed it, so it needs no approval
}

// understand finds the tool and parses the arguments strictly, after the repair
// of common mistakes. The log contains the call as it runs, and the original if
// that differs. A call with arguments that are not one complete JSON object is
// recorded with an empty object, which every model accepts, and with a
// description of the problem.
func understand(c llm.Call, tools []tool.Tool) call {
	made := call{ToolCallRequested: bellcord.ToolCallRequested{Call: c.ID, Name: proper(c.Name), Arguments: json.RawMessage(`{}`), Signature: c.Seal}}
	if len(c.Args) > bellcord.MaxArguments {
		made.ArgumentError = fmt.Sprintf("the arguments are longer than %d bytes: split the work into smaller calls", bellcord.MaxArguments)
		return made
	}
	meant, err := tool.Understand(tools, c.Name, c.Args)
	if err != nil {
		made.ArgumentError = err.Error()
	}
	made.tool, made.Arguments = meant.Tool, meant.Args
	if meant.Tool.Name == "" {
		return made
	}
	made.Name = meant.Tool.Name
	if c.Name != made.Name || !bytes.Equal(meant.Args, meant.Written) {
		made.Original = &bellcord.OriginalCall{Name: proper(c.Name), Arguments: meant.Written}
	}
	return made
}

// proper replaces the characters of a name that some model would reject in a
// later request, and truncates the name to 64 bytes.
func proper(name string) string {
	name = improper().ReplaceAllString(name, "_")
	return name[:min(len(name), 64)]
}

var improper = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^a-zA-Z_]|[^a-zA-Z0-9_-]`) })

// act runs the calls in order: consecutive calls that are safe to run
// concurrently run in parallel, the others one by one. A stop keeps the results
// of finished calls and prevents further calls from starting.
func (j *job) act(ctx context.Context, calls []call) error {
	for len(calls) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := 1
		for calls[0].tool.Safe && n < len(calls) && calls[n].tool.Safe {
			n++
		}
		errs, failed := make([]error, n), make([]bool, n)
		var all sync.WaitGroup
		for i, c := range calls[:n] {
			if j.failures.blocks(c) {
				c.refused = c.repeated()
			}
			all.Go(func() { failed[i], errs[i] = j.carryOut(ctx, c) })
		}
		all.Wait()
		for i, c := range calls[:n] {
			j.failures.add(c, failed[i])
			if !failed[i] {
				j.touch(c)
			}
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
		calls = calls[n:]
	}
	return nil
}

// carryOut runs one call. Its start is durable before its effect (law 26). A
// tool that panics fails its turn, not the process.
func (j *job) carryOut(ctx context.Context, c call) (failed bool, err error) {
	w := j.w
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v\n%s", c.Name, p, debug.Stack())
		}
	}()
	if why := cmp.Or(c.refused, c.ArgumentError); why != "" {
		return true, w.Emit(notStarted(c, why))
	}
	if refused, err := j.permit(ctx, w, c); err != nil {
		return true, err
	} else if refused != "" {
		return true, w.Emit(notStarted(c, refused))
	}
	if err := w.Emit(bellcord.ToolCallStarted{Call: c.Call}); err != nil {
		return true, err
	}
	if err := w.Sync(ctx); err != nil || ctx.Err() != nil {
		never := bellcord.ToolCallEnded{Call: c.Call, Outcome: bellcord.CallNotStarted, Result: history.ResultText(bellcord.CallNotStarted, "")}
		return true, errors.Join(err, context.Cause(ctx), w.Emit(never))
	}
	if refused, err := j.keepFiles(ctx, c); err != nil {
		return true, err
	} else if refused {
		return true, nil
	}
	defer j.record.After(c.Call)
	callContext, done := w.CallContext(ctx, c.Call)
	defer done()
	result := c.tool.Run(callContext, tool.Call{
		Turn: w.Turn, Session: w.Session.ID,
		Dir: w.Session.Dir, AdditionalDirs: w.Session.AdditionalDirs,
		Args: c.Arguments, Mode: permit.Mode(w.Session.Mode),
		Media:     j.model.Media,
		Held:      &j.held,
		Asker:     asker{w, c.Call},
		Output:    func(s string) { _ = w.Emit(bellcord.ToolOutputDelta{Call: c.Call, Text: s}) }, // fails only after the turn has ended
		Confirmed: func(p bellcord.Process) { w.Report().Confirm(c.Call, p) },
		Changing:  func(ctx context.Context, path string) error { return j.record.Changing(ctx, c.Call, path) },
	})
	if c.tool.AnyFile {
		result.Changes = j.changesOf(ctx, c)
	}
	if result.Sandbox != nil {
		w.Report().AddSandbox(*result.Sandbox)
	}
	if result.Processes != nil && len(result.Processes.Unconfirmed) == 0 {
		w.Report().Mark(hub.MomentProcessEnded)
	}
	if len(result.Changes) > 0 {
		_ = w.Emit(changed(c, result.Changes)) // fails only after a stop; the outcome is recorded even then
	}
	j.images.take(&result)
	return result.Failed, w.Emit(bellcord.ToolCallEnded{
		Call: c.Call, Outcome: result.Fate, Failed: result.Failed, Result: result.Text, Images: result.Images, Processes: result.Processes,
	})
}

// changed shows the changes that a call has made to files.
func changed(c call, changes []bellcord.Change) bellcord.ToolCallUpdated {
	content := make([]bellcord.CallContent, len(changes))
	for i := range changes {
		content[i].Change = &changes[i]
	}
	return bellcord.ToolCallUpdated{Call: c.Call, CallView: bellcord.CallView{Content: content}}
}

// asker shows the questions of a call's tool.
type asker struct {
	*hub.Work
	call string
}

// AskForm implements tool.Asker.
func (a asker) AskForm(ctx context.Context, q bellcord.Question) (bellcord.Reply, error) {
	q.Call = a.call
	return a.Work.AskForm(ctx, q)
}

func notStarted(c call, why string) bellcord.ToolCallEnded {
	return bellcord.ToolCallEnded{Call: c.Call, Outcome: bellcord.CallNotStarted, Failed: true, Result: "[not started: " + why + "]"}
}
