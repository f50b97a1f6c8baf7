package react

import (
	"context"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// step asks the model with the whole conversation. What does not fit is
// compacted first; a model that finds it too long all the same is asked once
// more, after a compaction.
func (j *job) step(ctx context.Context) ([]call, error) {
	req, err := j.request(ctx)
	if err != nil {
		return nil, err
	}
	if j.full(req) {
		if req, err = j.compactAndRead(ctx, req); err != nil {
			return nil, err
		}
	}
	calls, err := j.ask(ctx, req)
	if !tooLong(err) || j.compacted {
		return calls, err
	}
	j.compacted = true
	nothing := bellcord.StepEnded{Finish: "too_long", Usage: &bellcord.Usage{Exact: true}} // a request that was refused costs nothing
	if err := j.w.Emit(nothing); err != nil {
		return nil, err
	}
	if req, err = j.compactAndRead(ctx, req); err != nil {
		return nil, err
	}
	return j.ask(ctx, req)
}

// request is the conversation so far, and all that goes with it.
func (j *job) request(ctx context.Context) (llm.Request, error) {
	history, err := j.w.History(ctx)
	if err != nil {
		return llm.Request{}, err
	}
	return j.requestOf(history), nil
}

func (j *job) requestOf(history []bellcord.Message) llm.Request {
	req := llm.Request{Model: j.model.Name, System: j.system, Messages: bellcord.ForModel(history, j.w.Session.Model)}
	for _, t := range j.tools {
		req.Tools = append(req.Tools, t.Tool)
	}
	return req
}

// ask sends a request and records the answer as it comes.
func (j *job) ask(ctx context.Context, req llm.Request) ([]call, error) {
	w, estimate := j.w, req.EstimateTokens()
	if err := w.Step(ctx, bellcord.StepStarted{Model: w.Session.Model, Input: estimate, Price: j.model.Price}); err != nil {
		return nil, err
	}
	reply, err := j.model.Ask(ctx, req, w.Emit)
	w.Mark(bellcord.StreamClosed)
	if err != nil {
		if reply.Usage != nil { // the stop came first, and yet the model told
			err = errors.Join(err, w.Emit(bellcord.StepEnded{Finish: "stopped", Usage: reply.Usage}))
		}
		return nil, err
	}
	if reply.Usage != nil && estimate > 0 {
		j.scale = min(max(float64(reply.Usage.Input)/float64(estimate), 0.25), 4)
	}
	calls := make([]call, len(reply.Calls))
	for i, c := range reply.Calls {
		calls[i] = understand(c, j.tools)
		if err := w.Emit(calls[i].Called); err != nil {
			return nil, err
		}
	}
	return calls, w.Emit(bellcord.StepEnded{Finish: reply.Finish, Usage: reply.Usage})
}

// full reports whether the conversation has come to its share of the window.
func (j *job) full(req llm.Request) bool {
	most := j.CompactAt * float64(j.model.Window)
	return most > 0 && j.scale*float64(req.EstimateTokens()) >= most
}

func tooLong(err error) bool {
	var f *llm.Failure
	return errors.As(err, &f) && f.Reason == llm.TooLong
}

// aside asks a model something that is no part of the conversation and returns
// what it says. What it costs is recorded, also when a stop cuts it off.
func (j *job) aside(ctx context.Context, what, name string, model Model, req llm.Request) (string, error) {
	estimate := bellcord.Usage{Input: req.EstimateTokens()}
	if err := j.w.Emit(bellcord.AsideStarted{For: what, Model: name, Input: estimate.Input, Price: model.Price}); err != nil {
		return "", err
	}
	if ctx.Err() != nil { // it was too much for the budget, and is not sent
		return "", errors.Join(context.Cause(ctx), j.w.Emit(bellcord.AsideEnded{For: what, Usage: bellcord.Usage{Exact: true}}))
	}
	var said []byte
	var thought int
	reply, err := model.Ask(ctx, req, func(b bellcord.Body) error {
		switch b := b.(type) {
		case bellcord.Said:
			said = append(said, b.Text...)
		case bellcord.Thought:
			thought += len(b.Text)
		case bellcord.Metered:
			estimate.Input, estimate.CacheRead, estimate.CacheWrite = b.Usage.Input, b.Usage.CacheRead, b.Usage.CacheWrite
		case bellcord.Retrying:
			return j.w.Emit(b)
		}
		return nil
	})
	j.w.Mark(bellcord.StreamClosed)
	if reply.Usage == nil {
		estimate.Output = int64(len(said)+thought+3) / 4
		reply.Usage = &estimate
	}
	return string(said), errors.Join(err, j.w.Emit(bellcord.AsideEnded{For: what, Usage: *reply.Usage}))
}
