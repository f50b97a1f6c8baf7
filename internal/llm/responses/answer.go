package responses

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3/packages/ssestream"
	sdk "github.com/openai/openai-go/v3/responses"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// paragraph separates parts that the API sends separately and that are shown as
// one text.
const paragraph = "\n\n"

// answer collects a stream.
type answer struct {
	emit    func(bellcord.Body) error
	finish  bellcord.Finish // empty until the last event has arrived
	refused bool
	metered bool
	usage   *bellcord.Usage
	calls   []call

	shown   map[int64]bool // indexes of the items with emitted content
	hasText bool           // some text was emitted
}

// complete reports whether the last event has arrived.
func (a *answer) complete() bool { return a.finish != "" }

// addEvent applies an event and emits its content. It emits nothing once ctx
// has ended, although earlier events may still be unread. Other event types
// contain nothing new and are ignored.
func (a *answer) addEvent(ctx context.Context, ev sdk.ResponseStreamEventUnion) error {
	switch ev.Type {
	case "response.created", "response.in_progress":
		return a.meter(ctx, ev.Response)
	case "response.output_text.delta":
		return a.emitText(ctx, ev.OutputIndex, ev.Delta)
	case "response.refusal.delta":
		a.refused = true
		return a.emitText(ctx, ev.OutputIndex, ev.Delta)
	case "response.reasoning_summary_part.added":
		if ev.SummaryIndex > 0 {
			return a.think(ctx, ev.OutputIndex, paragraph)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return a.think(ctx, ev.OutputIndex, ev.Delta)
	case "response.output_item.done":
		return a.done(ctx, ev.OutputIndex, ev.Item)
	case "response.completed":
		a.usage, a.finish = usage(ev.Response), a.completed()
	case "response.incomplete":
		a.usage, a.finish = usage(ev.Response), bellcord.FinishMaxOutput
		if ev.Response.IncompleteDetails.Reason == "content_filter" {
			a.finish = bellcord.FinishRefused
		}
	case "response.failed", "error":
		return streamFailure([]byte(ev.RawJSON()))
	}
	return nil
}

func (a *answer) completed() bellcord.Finish {
	switch {
	case a.refused:
		return bellcord.FinishRefused
	case len(a.calls) > 0:
		return bellcord.FinishToolCalls
	default:
		return bellcord.FinishStop
	}
}

// meter emits the usage if the server reports it before the end. OpenAI's
// server does not.
func (a *answer) meter(ctx context.Context, r sdk.Response) error {
	early := usage(r)
	if early == nil || early.InputTokens == 0 || a.metered {
		return nil
	}
	a.metered = true
	return a.emitBody(ctx, bellcord.UsageReported{Usage: *early})
}

// usage returns the usage in a response, or nil if it has no usage.
func usage(r sdk.Response) *bellcord.Usage {
	if !r.JSON.Usage.Valid() {
		return nil
	}
	u := r.Usage
	out := &bellcord.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, Exact: true}
	out.CacheReadTokens = min(u.InputTokensDetails.CachedTokens, out.InputTokens)
	out.CacheWriteTokens = min(u.InputTokensDetails.CacheWriteTokens, out.InputTokens-out.CacheReadTokens)
	return out
}

// emitText emits text. It separates the messages of an answer by a paragraph break.
func (a *answer) emitText(ctx context.Context, index int64, text string) error {
	if text == "" {
		return nil
	}
	if a.hasText && !a.shown[index] {
		text = paragraph + text
	}
	a.hasText = true
	a.see(index)
	return a.emitBody(ctx, bellcord.TextDelta{Text: text})
}

func (a *answer) think(ctx context.Context, index int64, text string) error {
	if text == "" {
		return nil
	}
	a.see(index)
	return a.emitBody(ctx, bellcord.ThinkingDelta{Text: text})
}

func (a *answer) see(index int64) {
	if a.shown == nil {
		a.shown = map[int64]bool{}
	}
	a.shown[index] = true
}

func (a *answer) emitBody(ctx context.Context, b bellcord.Body) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return a.emit(b)
}

// endStream decides how the stream ended. err is the SDK's error; it is also
// nil for a stream that ended early. Nothing is read after the last event, so a
// complete answer stays complete.
func (a *answer) endStream(err error) error {
	var inStream *ssestream.StreamError
	switch {
	case a.complete():
		return nil
	case errors.As(err, &inStream):
		return streamFailure(inStream.Event.Data)
	case err != nil && !errors.Is(err, wire.ErrCutOff):
		return err
	default:
		return wire.Cut(err)
	}
}

// fullReply returns the reply. It must be called only when the answer is
// complete.
func (a *answer) fullReply() (llm.Reply, error) {
	list, err := listed(a.calls)
	if err != nil {
		return llm.Reply{}, err
	}
	return llm.Reply{Finish: a.finish, Calls: list, Usage: a.usage}, nil
}
