package gemini

import (
	"context"

	"google.golang.org/genai"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// answer gathers a stream.
type answer struct {
	wire    recording
	emit    func(bellcord.Body) error
	finish  genai.FinishReason
	blocked bool // the prompt was, so that there is no answer
	usage   *bellcord.Usage
	calls   []llm.Call
}

// add takes in a chunk and emits what it says. It emits nothing once ctx has
// ended, although chunks that had come before may still be there to be read.
func (a *answer) add(ctx context.Context, chunk *genai.GenerateContentResponse) error {
	if err := a.meter(ctx, chunk.UsageMetadata); err != nil {
		return err
	}
	if len(chunk.Candidates) == 0 || chunk.Candidates[0] == nil {
		a.blocked = a.blocked || chunk.PromptFeedback != nil && chunk.PromptFeedback.BlockReason != ""
		return nil
	}
	candidate := chunk.Candidates[0] // we never ask for more than one
	if candidate.Content != nil {
		for _, part := range candidate.Content.Parts {
			if err := a.addPart(ctx, part); err != nil {
				return err
			}
		}
	}
	if candidate.FinishReason != "" && candidate.FinishReason != genai.FinishReasonUnspecified {
		a.finish = candidate.FinishReason
	}
	return nil
}

// meter notes the usage, which each chunk tells for all so far, and passes on
// the first that knows the input.
func (a *answer) meter(ctx context.Context, u *genai.GenerateContentResponseUsageMetadata) error {
	if u == nil || u.PromptTokenCount == 0 {
		return nil
	}
	first := a.usage == nil
	a.usage = &bellcord.Usage{
		Input:     int64(u.PromptTokenCount) + int64(u.ToolUsePromptTokenCount),
		CacheRead: int64(u.CachedContentTokenCount),
		Output:    int64(u.CandidatesTokenCount) + int64(u.ThoughtsTokenCount),
		Exact:     true,
	}
	if !first {
		return nil
	}
	return a.show(ctx, bellcord.Metered{Usage: *a.usage})
}

// addPart takes in one part, which always comes whole. A signature goes before
// the text that it stands on: a seal has its place where its text begins.
func (a *answer) addPart(ctx context.Context, part *genai.Part) error {
	switch {
	case part == nil:
		return nil
	case part.FunctionCall != nil:
		a.calls = append(a.calls, llm.Call{
			ID: part.FunctionCall.ID, Name: part.FunctionCall.Name, Args: a.wire.nextArgs(),
			Seal: seal{Signature: part.ThoughtSignature}.encoded(),
		})
		return nil
	case part.Thought:
		s := seal{Signature: part.ThoughtSignature, Thought: true}
		return a.show(ctx, bellcord.Thought{Text: part.Text}, bellcord.Sealed{Seal: s.encoded()})
	default:
		s := seal{Signature: part.ThoughtSignature, Bytes: len(part.Text)}
		return a.show(ctx, bellcord.Sealed{Seal: s.encoded()}, bellcord.Said{Text: part.Text})
	}
}

// show emits those of the bodies that have something in them, none once ctx has
// ended.
func (a *answer) show(ctx context.Context, bodies ...bellcord.Body) error {
	for _, b := range bodies {
		if isEmpty(b) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := a.emit(b); err != nil {
			return err
		}
	}
	return nil
}

func isEmpty(b bellcord.Body) bool {
	switch b := b.(type) {
	case bellcord.Thought:
		return b.Text == ""
	case bellcord.Said:
		return b.Text == ""
	case bellcord.Sealed:
		return b.Seal == nil
	}
	return false
}
