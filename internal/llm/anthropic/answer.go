package anthropic

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// answer collects a stream. It does not use the SDK's accumulator, which treats
// any end of the connection as the end of the answer.
type answer struct {
	emit   func(bellcord.Body) error
	blocks map[int64]*block // started but not ended
	calls  []*block
	loose  int // bytes of thinking without a signature, since the last signed block
	stop   sdk.StopReason

	usage         bellcord.Usage
	usageComplete bool // usage covers the whole answer
}

// block is a part of the answer that is being received.
type block struct {
	kind          string
	thinkingBytes int    // bytes of thinking received
	signature     string // of a thinking block
	redacted      string // data of a redacted thinking block
	id, name      string // of a tool call
	args          string
	input         string // arguments from the start of the block
}

// addEvent applies an event and emits its content. Unknown kinds are skipped,
// as the API requires of its clients.
func (a *answer) addEvent(ctx context.Context, event sdk.MessageStreamEventUnion) error {
	switch event.Type {
	case "message_start":
		return a.startMessage(ctx, event.Message)
	case "content_block_start":
		return a.beginBlock(ctx, event.Index, event.ContentBlock)
	case "content_block_delta":
		if b := a.blocks[event.Index]; b != nil {
			return a.grow(ctx, b, event.Delta)
		}
	case "content_block_stop":
		b := a.blocks[event.Index]
		delete(a.blocks, event.Index)
		if b != nil {
			return a.seal(ctx, b)
		}
	case "message_delta":
		if event.Delta.StopReason != "" {
			a.stop = event.Delta.StopReason
		}
		a.updateUsage(event)
	}
	return nil
}

func (a *answer) startMessage(ctx context.Context, m sdk.Message) error {
	if !m.JSON.Usage.Valid() {
		return nil
	}
	u := m.Usage
	a.usage = bellcord.Usage{
		InputTokens:     u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens,
		CacheReadTokens: u.CacheReadInputTokens, CacheWriteTokens: u.CacheCreationInputTokens,
		OutputTokens: u.OutputTokens, Exact: true,
	}
	return a.emitBody(ctx, bellcord.UsageReported{Usage: a.usage})
}

// updateUsage applies the newest numbers, which cover the whole answer so far.
// The server may omit the input tokens.
func (a *answer) updateUsage(event sdk.MessageStreamEventUnion) {
	u := event.Usage
	if !event.JSON.Usage.Valid() || !u.JSON.OutputTokens.Valid() {
		return
	}
	fresh := a.usage.InputTokens - a.usage.CacheReadTokens - a.usage.CacheWriteTokens
	if u.JSON.InputTokens.Valid() {
		fresh = u.InputTokens
	}
	if u.JSON.CacheReadInputTokens.Valid() {
		a.usage.CacheReadTokens = u.CacheReadInputTokens
	}
	if u.JSON.CacheCreationInputTokens.Valid() {
		a.usage.CacheWriteTokens = u.CacheCreationInputTokens
	}
	a.usage.InputTokens = fresh + a.usage.CacheReadTokens + a.usage.CacheWriteTokens
	a.usage.OutputTokens, a.usage.Exact = u.OutputTokens, true
	a.usageComplete = a.stop != ""
}

func (a *answer) beginBlock(ctx context.Context, index int64, start sdk.ContentBlockStartEventContentBlockUnion) error {
	b := &block{kind: start.Type}
	a.blocks[index] = b
	switch start.Type {
	case "text":
		return a.emitText(ctx, start.Text)
	case "thinking":
		b.signature = start.Signature
		return a.think(ctx, b, start.Thinking)
	case "redacted_thinking":
		b.redacted = start.Data
	case "tool_use":
		b.id, b.name, b.input = start.ID, start.Name, start.JSON.Input.Raw()
		a.calls = append(a.calls, b)
	}
	return nil
}

func (a *answer) grow(ctx context.Context, b *block, delta sdk.MessageStreamEventUnionDelta) error {
	switch delta.Type {
	case "text_delta":
		return a.emitText(ctx, delta.Text)
	case "thinking_delta":
		return a.think(ctx, b, delta.Thinking)
	case "signature_delta":
		b.signature += delta.Signature
	case "input_json_delta":
		if len(b.args) <= bellcord.MaxArguments { // longer arguments are rejected anyway
			b.args += delta.PartialJSON
		}
	}
	return nil
}

// seal emits the signature of a thinking block that has ended. The text of a
// block without a signature is counted in loose, because it is not part of the
// next block.
func (a *answer) seal(ctx context.Context, b *block) error {
	s := seal{Signature: b.signature, Redacted: b.redacted, Skip: a.loose}
	if s.Signature == "" && s.Redacted == "" {
		a.loose += b.thinkingBytes
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("storing the model's thinking: %w", err)
	}
	a.loose = 0
	return a.emitBody(ctx, bellcord.ThinkingSigned{Signature: data})
}

func (a *answer) emitText(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	return a.emitBody(ctx, bellcord.TextDelta{Text: text})
}

func (a *answer) think(ctx context.Context, b *block, text string) error {
	if text == "" {
		return nil
	}
	b.thinkingBytes += len(text)
	return a.emitBody(ctx, bellcord.ThinkingDelta{Text: text})
}

// emitBody emits b. Once ctx has ended it emits nothing, although events
// received before may still be unread.
func (a *answer) emitBody(ctx context.Context, b bellcord.Body) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return a.emit(b)
}

// complete reports whether the whole answer has arrived. Until then, a call's
// arguments can be truncated and still be valid JSON.
func (a *answer) complete() bool { return a.stop != "" && len(a.blocks) == 0 }

// fullReply returns the reply. It must be called only when the answer is
// complete.
func (a *answer) fullReply() (llm.Reply, error) {
	finish := finishOf(a.stop)
	if finish == bellcord.FinishStop && len(a.calls) > 0 {
		finish = bellcord.FinishToolCalls
	}
	calls, err := finishedCalls(a.calls, finish == bellcord.FinishToolCalls)
	if err != nil {
		return llm.Reply{}, err
	}
	reply := llm.Reply{Finish: finish, Calls: calls}
	if a.usageComplete {
		reply.Usage = &a.usage
	}
	return reply, nil
}
