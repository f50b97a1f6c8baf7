package openai

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// finishReasons maps the API's finish reasons. function_call is the name that
// tool_calls had in older versions of the API.
var finishReasons = map[string]bellcord.Finish{
	"stop": bellcord.FinishStop, "tool_calls": bellcord.FinishToolCalls, "function_call": bellcord.FinishToolCalls,
	"length": bellcord.FinishMaxOutput, "content_filter": bellcord.FinishRefused,
}

// answer collects a stream. It does not use the SDK's accumulator, which sums
// the usage that some servers report with every chunk, each time for the whole
// answer.
type answer struct {
	emit    func(bellcord.Body) error
	finish  string
	usage   *bellcord.Usage
	metered bool // usage was emitted before the end
	calls   calls
}

// addChunk applies a chunk and emits its content. It emits nothing once ctx has
// ended, although earlier chunks may still be unread.
func (a *answer) addChunk(ctx context.Context, chunk sdk.ChatCompletionChunk) error {
	if err := a.meter(ctx, chunk); err != nil {
		return err
	}
	if len(chunk.Choices) == 0 { // contains only the usage
		return nil
	}
	choice := chunk.Choices[0] // each request is for a single answer
	text := choice.Delta.Content + choice.Delta.Refusal
	if thinking := reasoning(choice.Delta.JSON.ExtraFields); thinking != "" {
		if err := a.emitBody(ctx, bellcord.ThinkingDelta{Text: thinking}); err != nil {
			return err
		}
	}
	if text != "" {
		if err := a.emitBody(ctx, bellcord.TextDelta{Text: text}); err != nil {
			return err
		}
	}
	for _, fragment := range choice.Delta.ToolCalls {
		a.calls.addFragment(fragment)
	}
	if choice.FinishReason != "" {
		a.finish = choice.FinishReason
	}
	return nil
}

// meter records the usage; the latest report counts. It emits the first report
// if that arrives before the end of the answer, because the number of input
// tokens is final then.
func (a *answer) meter(ctx context.Context, chunk sdk.ChatCompletionChunk) error {
	if !chunk.JSON.Usage.Valid() {
		return nil
	}
	u := chunk.Usage
	a.usage = &bellcord.Usage{
		InputTokens: u.PromptTokens, CacheReadTokens: min(u.PromptTokensDetails.CachedTokens, u.PromptTokens),
		OutputTokens: u.CompletionTokens, Exact: true,
	}
	over := a.finish != "" || (len(chunk.Choices) > 0 && chunk.Choices[0].FinishReason != "")
	if a.metered || over || u.PromptTokens == 0 {
		return nil
	}
	a.metered = true
	return a.emitBody(ctx, bellcord.UsageReported{Usage: *a.usage})
}

func (a *answer) emitBody(ctx context.Context, b bellcord.Body) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return a.emit(b)
}

// reasoning returns the thinking in a delta. OpenAI's API has no field for it.
// Other servers use one of these two, and some send both with the same text.
func reasoning(fields map[string]respjson.Field) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var text string
		if json.Unmarshal([]byte(fields[name].Raw()), &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// complete reports whether the finish reason has arrived.
func (a *answer) complete() bool { return a.finish != "" }

// endStream decides how the stream ended. err is the SDK's error; it is also
// nil for a stream that ended early. A connection error after the finish reason
// does not invalidate the answer, but an error event does.
func (a *answer) endStream(err error) error {
	var streamErr *ssestream.StreamError
	switch {
	case errors.As(err, &streamErr):
		return wire.DecodeStreamFailure(streamErr.Event.Data)
	case err != nil && !errors.Is(err, wire.ErrCutOff):
		return err
	case a.complete():
		return nil
	default:
		return wire.Cut(err)
	}
}

// fullReply returns the reply. It must be called only after the finish reason:
// until then, a call's arguments can be truncated and still be valid JSON.
func (a *answer) fullReply() (llm.Reply, error) {
	finish, known := finishReasons[a.finish]
	switch {
	case !known:
		finish = bellcord.FinishOther
	case finish == bellcord.FinishStop && len(a.calls) > 0: // llama.cpp, some versions of vLLM
		finish = bellcord.FinishToolCalls
	}
	list, err := a.calls.finishedCalls(finish == bellcord.FinishToolCalls)
	if err != nil {
		return llm.Reply{}, err
	}
	return llm.Reply{Finish: finish, Calls: list, Usage: a.usage}, nil
}
