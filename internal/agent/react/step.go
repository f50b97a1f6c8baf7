package react

import (
	"context"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

// step sends the whole conversation to the model and returns the requested
// calls. If the conversation fills too much of the window it is compacted
// first. If the model still rejects it as too long, step compacts and retries,
// once per turn.
func (j *job) step(ctx context.Context) ([]call, error) {
	req, err := j.modelRequest(ctx)
	if err != nil {
		return nil, err
	}
	if j.full(req) {
		if req, err = j.compactAndRead(ctx, req); err != nil {
			return nil, err
		}
	}
	calls, err := j.requestModel(ctx, req)
	if !tooLong(err) || j.compacted {
		return calls, err
	}
	j.compacted = true
	nothing := bellcord.StepEnded{Finish: bellcord.FinishContextFull, Usage: &bellcord.Usage{Exact: true}} // a rejected request costs nothing
	if err := j.w.Emit(nothing); err != nil {
		return nil, err
	}
	if req, err = j.compactAndRead(ctx, req); err != nil {
		return nil, err
	}
	return j.requestModel(ctx, req)
}

// modelRequest returns the request for the conversation so far.
func (j *job) modelRequest(ctx context.Context) (llm.Request, error) {
	history, err := j.w.History(ctx)
	if err != nil {
		return llm.Request{}, err
	}
	j.images.count(history)
	return j.requestOf(history), nil
}

func (j *job) requestOf(messages []bellcord.Message) llm.Request {
	req := llm.Request{Model: j.model.Name, System: j.system, Messages: j.visible(history.ForModel(messages, j.w.Session.Model))}
	if j.w.Session.Effort != bellcord.DefaultEffort {
		req.Effort = j.w.Session.Effort
	}
	for _, t := range tool.Offered(j.tools, j.model.Name) {
		req.Tools = append(req.Tools, t.Tool)
	}
	return req
}

// requestModel sends a request and records the answer while it streams.
func (j *job) requestModel(ctx context.Context, req llm.Request) ([]call, error) {
	w, estimate := j.w, req.EstimateTokens()
	if err := w.Step(ctx, bellcord.StepStarted{Model: w.Session.Model, EstimatedInput: estimate, Price: j.model.Price}); err != nil {
		return nil, err
	}
	watched, written := llm.Sent(ctx)
	begun := false
	j.answer = ""
	reply, err := j.model.Generate(watched, req, func(b bellcord.Body) error {
		begun = begun || answers(b)
		if d, is := b.(bellcord.TextDelta); is && len(j.answer) <= mostTextCall {
			j.answer += d.Text
		}
		return w.Emit(b)
	})
	w.Report().Mark(hub.MomentStreamClosed)
	if errors.Is(err, hub.ErrAnswerTooLong) { // the log contains a notice; the connection is closed
		return nil, w.Emit(bellcord.StepEnded{Finish: bellcord.FinishMaxOutput, Usage: reply.Usage})
	}
	if ctx.Err() == nil && !begun && !tooLong(err) && llm.Unbilled(err, written()) {
		return nil, errors.Join(err, w.Emit(bellcord.StepEnded{Finish: bellcord.FinishFailed, Usage: &bellcord.Usage{Exact: true}}))
	}
	if err != nil {
		if reply.Usage != nil { // stopped, but the model had reported its usage
			err = errors.Join(err, w.Emit(bellcord.StepEnded{Finish: bellcord.FinishStopped, Usage: reply.Usage}))
		}
		return nil, err
	}
	if reply.Usage != nil && estimate > 0 {
		j.scale = min(max(float64(reply.Usage.InputTokens)/float64(estimate), 0.25), 4)
	}
	calls := make([]call, len(reply.Calls))
	for i, c := range reply.Calls {
		calls[i] = understand(c, j.tools)
		if err := w.Emit(calls[i].ToolCallRequested); err != nil { // after a stop: the call is not recorded, its cost is
			return nil, errors.Join(err, w.Emit(bellcord.StepEnded{Finish: bellcord.FinishStopped, Usage: reply.Usage}))
		}
	}
	return calls, w.Emit(bellcord.StepEnded{Finish: reply.Finish, Usage: reply.Usage})
}

// answers reports whether a body is part of a model's answer.
func answers(b bellcord.Body) bool {
	_, pause := b.(bellcord.ModelRetryScheduled)
	return !pause
}

// full reports whether the conversation has reached its share of the window.
func (j *job) full(req llm.Request) bool {
	most := j.CompactAt * float64(j.model.Window)
	return most > 0 && j.scale*float64(req.EstimateTokens()) >= most
}

func tooLong(err error) bool {
	var f *llm.Failure
	return errors.As(err, &f) && f.Reason == llm.TooLong
}

// aside sends a side request, which is not part of the conversation, and
// returns the model's answer. Its cost is recorded, even if a stop interrupts
// it.
func (j *job) aside(ctx context.Context, what, name string, model Model, req llm.Request) (string, error) {
	estimate := bellcord.Usage{InputTokens: req.EstimateTokens()}
	if err := j.w.Emit(bellcord.SideRequestStarted{Purpose: what, Model: name, EstimatedInput: estimate.InputTokens, Price: model.Price}); err != nil {
		return "", err
	}
	if ctx.Err() != nil { // it exceeded the budget, and is not sent
		return "", errors.Join(context.Cause(ctx), j.w.Emit(bellcord.SideRequestEnded{Purpose: what, Usage: bellcord.Usage{Exact: true}}))
	}
	var text []byte
	var thinking int
	watched, written := llm.Sent(ctx)
	begun := false
	reply, err := model.Generate(watched, req, func(b bellcord.Body) error {
		begun = begun || answers(b)
		switch b := b.(type) {
		case bellcord.TextDelta:
			if text = append(text, b.Text...); len(text) > bellcord.MaxAnswer {
				return hub.ErrAnswerTooLong
			}
		case bellcord.ThinkingDelta:
			thinking += len(b.Text)
		case bellcord.UsageReported:
			estimate.InputTokens, estimate.CacheReadTokens, estimate.CacheWriteTokens = b.Usage.InputTokens, b.Usage.CacheReadTokens, b.Usage.CacheWriteTokens
		case bellcord.ModelRetryScheduled:
			return j.w.Emit(b)
		}
		return nil
	})
	j.w.Report().Mark(hub.MomentStreamClosed)
	if ctx.Err() == nil && !begun && llm.Unbilled(err, written()) {
		reply.Usage = &bellcord.Usage{Exact: true}
	}
	if reply.Usage == nil {
		estimate.OutputTokens = int64(len(text)+thinking+3) / 4
		reply.Usage = &estimate
	}
	return string(text), errors.Join(err, j.w.Emit(bellcord.SideRequestEnded{Purpose: what, Usage: *reply.Usage}))
}
