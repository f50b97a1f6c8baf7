package gemini

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// answer collects a stream.
type answer struct {
	emit    func(bellcord.Body) error
	finish  string // the server's finish reason
	words   string // the server's explanation of the finish
	blocked bool   // the prompt was blocked, and there is no answer
	usage   *bellcord.Usage
	calls   []llm.Call
}

// addEvent applies an event and emits its content. It emits nothing once ctx
// has ended, although earlier events may still be unread.
func (a *answer) addEvent(ctx context.Context, event []byte) error {
	var c chunk
	if err := json.Unmarshal(event, &c); err != nil {
		return fmt.Errorf("reading the model's answer: %w", err)
	}
	if c.Error != nil {
		return streamFailure(event)
	}
	if err := a.meter(ctx, c.Usage); err != nil {
		return err
	}
	if len(c.Candidates) == 0 {
		a.blocked = a.blocked || c.Feedback.Blocked != ""
		return nil
	}
	first := c.Candidates[0] // each request is for a single answer
	for _, part := range first.Content.Parts {
		if err := a.addPart(ctx, part); err != nil {
			return err
		}
	}
	if first.Finish != "" && first.Finish != reasonNone {
		a.finish, a.words = first.Finish, first.Words
	}
	return nil
}

// meter records the usage. Each chunk reports it for the whole answer so far.
// The first report with input tokens is emitted.
func (a *answer) meter(ctx context.Context, u usage) error {
	if u.Prompt == 0 {
		return nil
	}
	first := a.usage == nil
	a.usage = &bellcord.Usage{
		InputTokens: u.Prompt + u.ToolUse, CacheReadTokens: u.Cached,
		OutputTokens: u.Answer + u.Thoughts, Exact: true,
	}
	if !first {
		return nil
	}
	return a.emitBodies(ctx, bellcord.UsageReported{Usage: *a.usage})
}

// addPart applies one part. A signature is emitted before the text that it
// signs, because its position is where that text begins.
func (a *answer) addPart(ctx context.Context, part answerPart) error {
	switch {
	case part.Call != nil:
		args := string(part.Call.Args)
		if args == "null" {
			args = ""
		}
		a.calls = append(a.calls, llm.Call{
			ID: part.Call.ID, Name: part.Call.Name, Args: args,
			Seal: seal{Signature: part.Signature}.encoded(),
		})
		return nil
	case part.Thought:
		s := seal{Signature: part.Signature, Thought: true}
		return a.emitBodies(ctx, bellcord.ThinkingDelta{Text: part.Text}, bellcord.ThinkingSigned{Signature: s.encoded()})
	default:
		s := seal{Signature: part.Signature, Bytes: len(part.Text)}
		return a.emitBodies(ctx, bellcord.ThinkingSigned{Signature: s.encoded()}, bellcord.TextDelta{Text: part.Text})
	}
}

// emitBodies emits the bodies that are not empty, and nothing once ctx has
// ended.
func (a *answer) emitBodies(ctx context.Context, bodies ...bellcord.Body) error {
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
	case bellcord.ThinkingDelta:
		return b.Text == ""
	case bellcord.TextDelta:
		return b.Text == ""
	case bellcord.ThinkingSigned:
		return b.Signature == nil
	}
	return false
}
