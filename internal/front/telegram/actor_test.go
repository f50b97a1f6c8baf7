package telegram_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/undo"
)

// actor is an agent that runs the commands in its prompt, one per line:
//
//	say TEXT        writes the text; \n in it is a line break
//	repeat N TEXT   writes the text N times
//	slow N          writes N words, one every 100 ms
//	think TEXT      emits thinking
//	tool COMMAND    runs a tool that takes a second
//	long COMMAND    runs a tool that ends when it is stopped
//	stubborn D      ignores a stop for D
//	hang D          waits for D
//	ask TEXT        opens a question
//	asks A|B        opens several questions at once
//	retry D         reports a retry of the model request in D
//	scan N          reports a scan of N files; 0 for its end
//	spend IN OUT    reports a model request with this many tokens
//	write PATH      writes a file in the session's directory
//	edit N=TEXT…    writes files and records the changes
//	later D N=TEXT… the same; the changes are pending for D
//	recall          writes the conversation's history
//	fail TEXT       fails with the text
//
// It writes any other line back.
type actor struct {
	mu       sync.Mutex
	prompts  []bellcord.Prompt
	recorder *undo.Recorder
	prepared string // the text of the question that "prepared" asks
}

func newActor() *actor { return &actor{} }

// given returns the texts of the received prompts.
func (a *actor) given() (texts []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.prompts {
		texts = append(texts, p.Text)
	}
	return texts
}

func (a *actor) Run(ctx context.Context, w *hub.Work) error {
	a.mu.Lock()
	a.prompts = append(a.prompts, w.Prompt)
	a.mu.Unlock()
	for _, line := range strings.Split(w.Prompt.Text, "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		if err := errors.Join(a.act(ctx, w, verb, rest), w.Sync(ctx)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

func (a *actor) act(ctx context.Context, w *hub.Work, verb, rest string) error {
	switch verb {
	case "say":
		return w.Emit(bellcord.TextDelta{Text: lines(rest)})
	case "think":
		return w.Emit(bellcord.ThinkingDelta{Text: rest})
	case "slow":
		n, _ := strconv.Atoi(rest)
		for i := range n {
			if err := errors.Join(w.Emit(bellcord.TextDelta{Text: fmt.Sprintf("word%d ", i)}), w.Sync(ctx)); err != nil || !pause(ctx, 100*time.Millisecond) {
				return err
			}
		}
		return nil
	case "tool", "long", "leave":
		return tool(ctx, w, verb, rest)
	case "stubborn":
		d, _ := time.ParseDuration(rest)
		<-ctx.Done()
		<-time.After(d)
		return nil
	case "ask", "asks":
		return openQuestions(ctx, w, strings.Split(rest, "|"))
	case "recall":
		messages, err := w.History(ctx)
		var texts []string
		for _, m := range messages {
			texts = append(texts, m.Text)
		}
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: fmt.Sprintf("I know: %v", texts)}))
	case "fail":
		return errors.New(rest)
	}
	if verb == "prepared" {
		return openQuestions(ctx, w, []string{a.prepared})
	}
	if verb == "edit" || verb == "later" {
		return a.edit(ctx, w, verb, rest)
	}
	return more(ctx, w, verb, rest)
}

func more(ctx context.Context, w *hub.Work, verb, rest string) error {
	first, second, _ := strings.Cut(rest, " ")
	n, _ := strconv.ParseInt(first, 10, 64)
	d, _ := time.ParseDuration(first)
	switch verb {
	case "repeat":
		return w.Emit(bellcord.TextDelta{Text: strings.Repeat(lines(second), int(n))})
	case "hang":
		pause(ctx, d)
		return nil
	case "plan":
		return w.Emit(planOf(rest))
	case "retry":
		return w.Emit(bellcord.ModelRetryScheduled{Attempt: 1, RetryIn: d, Reason: "it is busy"})
	case "scan":
		return w.Emit(bellcord.FilesScanned{Files: n, Bytes: n << 20, Done: n == 0})
	case "spend":
		output, _ := strconv.ParseInt(second, 10, 64)
		price := &bellcord.Price{Input: 1000, Output: 1000}
		return errors.Join(w.Step(ctx, bellcord.StepStarted{Model: "fake/one", Price: price}),
			w.Emit(bellcord.StepEnded{Finish: "stop", Usage: &bellcord.Usage{InputTokens: n, OutputTokens: output, CostNanoUSD: 1000 * (n + output), Exact: true}}))
	case "form":
		reply, err := w.AskForm(ctx, bellcord.Question{ID: "form", Text: "Where?", Fields: []bellcord.Field{
			{Name: "env", Type: bellcord.FieldString, Required: true, Options: []bellcord.Option{{Value: "dev"}, {Value: "prod", Title: "Production"}}},
			{Name: "count", Type: bellcord.FieldInteger, Required: true, Minimum: new(1.0), Maximum: new(9.0)},
			{Name: "days", Type: bellcord.FieldArray, Options: []bellcord.Option{{Value: "mo"}, {Value: "tu"}}, MinItems: new(1)},
			{Name: "sure", Type: bellcord.FieldBoolean, Default: json.RawMessage(`false`)},
		}})
		values, _ := json.Marshal(reply.Values)
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: "chosen: " + reply.Choice + " " + string(values)}))
	case "guard":
		choice, err := w.Ask(ctx, bellcord.Question{Text: rest, Requires: bellcord.ScopeAdmin, Choices: []bellcord.Choice{
			{ID: "yes", Text: "Yes", Kind: "allow_once"}, {ID: "no", Text: "No", Kind: "reject_once"},
		}})
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: "chosen: " + choice}))
	case "page":
		reply, err := w.AskForm(ctx, bellcord.Question{ID: "page", Text: "Log in", URL: "https://login.example/?c=1"})
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: "chosen: " + reply.Choice}))
	case "write":
		return os.WriteFile(filepath.Join(w.Session.Dir, first), []byte("what is in "+first), 0o600)
	}
	return w.Emit(bellcord.TextDelta{Text: "You said: " + strings.TrimSpace(verb+" "+rest)})
}

func lines(text string) string { return strings.ReplaceAll(text, `\n`, "\n") }

// openQuestions opens all questions at once and writes the chosen answers, in the order
// of the questions.
func openQuestions(ctx context.Context, w *hub.Work, texts []string) error {
	chosen, failed := make([]string, len(texts)), make([]error, len(texts))
	var open sync.WaitGroup
	for i, text := range texts {
		open.Go(func() {
			chosen[i], failed[i] = w.Ask(ctx, bellcord.Question{ID: text, Text: lines(text), Choices: []bellcord.Choice{
				{ID: "yes", Text: "Yes", Kind: "allow_once"}, {ID: "all", Text: "Always", Kind: "allow_always"}, {ID: "no", Text: "No", Kind: "reject_once"},
			}})
		})
	}
	open.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return w.Emit(bellcord.TextDelta{Text: "chosen: " + strings.Join(chosen, ", ")})
}

func tool(ctx context.Context, w *hub.Work, verb, command string) error {
	args, _ := json.Marshal(map[string]string{"command": command})
	call := command
	err := errors.Join(
		w.Emit(bellcord.ToolCallRequested{Call: call, Name: "shell", Arguments: args}),
		w.Emit(bellcord.ToolCallStarted{Call: call}), w.Sync(ctx))
	if err != nil {
		return err
	}
	fate := bellcord.CallFinished
	if verb == "long" {
		<-ctx.Done()
		fate = bellcord.CallStopped
	} else if !pause(ctx, time.Second) {
		fate = bellcord.CallStopped
	}
	end := bellcord.ToolCallEnded{Call: call, Outcome: fate, Result: "ok"}
	if verb == "leave" { // its command left processes behind
		end.Processes = &bellcord.Processes{Ended: []bellcord.Process{{PID: 1, How: "terminated"}, {PID: 2, How: "killed"}}, Proof: "cgroup_empty"}
	}
	return w.Emit(end)
}

// pause waits for d and reports whether ctx is still active.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// planOf returns the plan with the steps TEXT:STATUS.
func planOf(steps string) (p bellcord.PlanUpdated) {
	for step := range strings.FieldsSeq(steps) {
		text, status, _ := strings.Cut(step, ":")
		p.Entries = append(p.Entries, bellcord.PlanEntry{Text: text, Status: status})
	}
	return p
}

// edit writes files and records the changes.
func (a *actor) edit(ctx context.Context, w *hub.Work, verb, rest string) error {
	var work undo.Work = w.Report()
	if verb == "later" {
		d, files, _ := strings.Cut(rest, " ")
		delay, _ := time.ParseDuration(d)
		work, rest = lateWork{w.Report(), delay}, files
	}
	turn := a.recorder.Turn(w.Session, w.Turn, work)
	defer turn.Close()
	for file := range strings.FieldsSeq(rest) {
		name, text, _ := strings.Cut(file, "=")
		path := filepath.Join(w.Session.Dir, name)
		if err := errors.Join(turn.Changing(ctx, "edit", path), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	turn.After("edit")
	turn.CallChanges(ctx, "edit", time.Hour)
	return nil
}

// lateWork records changes with a delay.
type lateWork struct {
	hub.Report
	delay time.Duration
}

func (w lateWork) SetChanges(c bellcord.Changes) {
	if c.Pending {
		w.Report.SetChanges(c)
		return
	}
	w.FollowChanges(func(ctx context.Context) (bellcord.Changes, error) {
		pause(ctx, w.delay)
		return c, ctx.Err()
	})
}
