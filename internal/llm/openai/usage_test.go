package openai_test

import (
	"context"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
)

// meter collects emitted usage.
type meter struct{ reported []bellcord.Usage }

func (m *meter) emit(b bellcord.Body) error {
	if b, ok := b.(bellcord.UsageReported); ok {
		m.reported = append(m.reported, b.Usage)
	}
	return nil
}

func TestAsk_CachedInput_IsReportedAsCacheRead(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	reply, err := p.Generate(t.Context(), prompt("[usage 100 20] [cache 60 0]"), ignore)
	want := bellcord.Usage{InputTokens: 100, CacheReadTokens: 60, OutputTokens: 20, Exact: true}
	if err != nil || reply.Usage == nil || *reply.Usage != want {
		t.Errorf("usage %v, %v", reply.Usage, err)
	}
}

func TestAsk_UsageBeforeEnd_IsEmittedOnce(t *testing.T) {
	t.Parallel()
	hello := delta(`"content":"hello"`)
	last := `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
	for name, c := range map[string]struct {
		events []string
		want   []bellcord.Usage
	}{
		"at the end":              {[]string{hello, finish("stop"), usage(3, 1), "[DONE]"}, nil},
		"with the finish reason":  {[]string{hello, last}, nil},
		"null until the end":      {[]string{`{"choices":[],"usage":null}`, hello, finish("stop"), usage(3, 1)}, nil},
		"not counted yet":         {[]string{usage(0, 0), hello, finish("stop"), usage(3, 1)}, nil},
		"with every chunk":        {[]string{usage(3, 0), hello, usage(3, 1), last}, []bellcord.Usage{*tokens(3, 0)}},
		"in a stream that is cut": {[]string{usage(3, 0), hello}, []bellcord.Usage{*tokens(3, 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m meter
			_, err := serving(t, saying(c.events...)).Generate(t.Context(), prompt("hello"), m.emit)
			if !slices.Equal(m.reported, c.want) || (err != nil) != (name == "in a stream that is cut") {
				t.Errorf("told %v, %v", m.reported, err)
			}
		})
	}
}

func TestAsk_StopAfterEarlyUsage_HasEmittedUsage(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	var m meter
	_, err := p.Generate(ctx, prompt("[runningusage] [usage 100 20] [cache 60 0] [hang after 3] [fast 9]"), func(b bellcord.Body) error {
		if _, isText := b.(bellcord.TextDelta); isText {
			cancel(errStopped)
		}
		return m.emit(b)
	})
	want := []bellcord.Usage{{InputTokens: 100, CacheReadTokens: 60, Exact: true}}
	if !same(err, errStopped) || !slices.Equal(m.reported, want) {
		t.Errorf("told %v, %v", m.reported, err)
	}
}
