package anthropic_test

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

const (
	ping    = `{"type":"ping"}`
	over    = `{"type":"message_stop"}`
	text    = `"type":"text","text":""`
	musing  = `"type":"thinking","thinking":"","signature":""`
	blocked = `"type":"redacted_thinking","data":"xyz"`
)

func begun(in int) string {
	return fmt.Sprintf(`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":%d,"output_tokens":1}}}`, in)
}

func block(index int, fields string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{%s}}`, index, fields)
}

func call(id, name string) string {
	return fmt.Sprintf(`"type":"tool_use","id":%q,"name":%q,"input":{}`, id, name)
}

func delta(index int, kind, field, value string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":%q,%q:%q}}`, index, kind+"_delta", field, value)
}

func words(index int, s string) string { return delta(index, "text", "text", s) }
func hm(index int, s string) string    { return delta(index, "thinking", "thinking", s) }
func sign(index int, s string) string  { return delta(index, "signature", "signature", s) }
func args(index int, s string) string  { return delta(index, "input_json", "partial_json", s) }

func ended(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func stopped(reason string, out int) string {
	return fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":%d}}`, reason, out)
}

func tokens(in, out int64) *bellcord.Usage {
	return &bellcord.Usage{InputTokens: in, OutputTokens: out, Exact: true}
}

func TestAsk_StreamVariants_AreDecoded(t *testing.T) {
	t.Parallel()
	hello := []string{block(0, text), words(0, "hel"), words(0, "lo"), ended(0)}
	signedThinking := func(at int, text, seal string) bellcord.Thinking {
		return bellcord.Thinking{At: at, Text: text, Signature: []byte(seal)}
	}
	for name, c := range map[string]struct {
		events   []string
		text     string
		thinking []bellcord.Thinking
		finish   string
		usage    *bellcord.Usage
	}{
		"an orderly one":                 {slices.Concat([]string{begun(3), ping}, hello, []string{stopped("end_turn", 2), over}), "hello", nil, "stop", tokens(3, 2)},
		"without its last word":          {slices.Concat([]string{begun(3)}, hello, []string{stopped("end_turn", 2)}), "hello", nil, "stop", tokens(3, 2)},
		"at a stop sequence":             {[]string{begun(3), stopped("stop_sequence", 2), over}, "", nil, "stop", tokens(3, 2)},
		"out of tokens":                  {[]string{begun(3), stopped("max_tokens", 2), over}, "", nil, "max_output", tokens(3, 2)},
		"out of context":                 {[]string{begun(3), stopped("model_context_window_exceeded", 2), over}, "", nil, "max_output", tokens(3, 2)},
		"refused":                        {[]string{begun(3), stopped("refusal", 2), over}, "", nil, "refused", tokens(3, 2)},
		"paused":                         {[]string{begun(3), stopped("pause_turn", 2), over}, "", nil, "stop", tokens(3, 2)},
		"for a reason unknown to anyone": {[]string{begun(3), stopped("tired", 2), over}, "", nil, "stop", tokens(3, 2)},
		"with words in the block's start": {
			[]string{begun(3), block(0, `"type":"text","text":"hel"`), words(0, "lo"), ended(0), stopped("end_turn", 2), over}, "hello", nil, "stop", tokens(3, 2),
		},
		"without usage": {
			[]string{`{"type":"message_start","message":{}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, over}, "", nil, "stop", nil,
		},
		"with usage only at its start": {[]string{begun(3), `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, over}, "", nil, "stop", nil},
		"with all usage at its end": {
			[]string{begun(1), `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":3,"cache_read_input_tokens":4,"cache_creation_input_tokens":5,"output_tokens":6}}`, over},
			"", nil, "stop", &bellcord.Usage{InputTokens: 12, CacheReadTokens: 4, CacheWriteTokens: 5, OutputTokens: 6, Exact: true},
		},
		"with usage that is null in parts": {
			[]string{begun(3), `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":null,"cache_read_input_tokens":null,"output_tokens":6}}`, over},
			"", nil, "stop", tokens(3, 6),
		},
		"with thoughts between the words": {
			[]string{
				begun(3), block(0, musing), hm(0, "a"), hm(0, "b"), sign(0, "s1"), sign(0, "s2"), ended(0), block(1, text), words(1, "hello"), ended(1),
				block(2, musing), hm(2, "c"), sign(2, "s3"), ended(2), block(3, blocked), ended(3), block(4, text), words(4, "!"), ended(4), stopped("end_turn", 2), over,
			},
			"hello!",
			[]bellcord.Thinking{signedThinking(0, "ab", `{"signature":"s1s2"}`), signedThinking(5, "c", `{"signature":"s3"}`), signedThinking(5, "", `{"redacted":"xyz"}`)},
			"stop", tokens(3, 2),
		},
		"with thoughts that are not shown": {
			[]string{begun(3), block(0, musing), sign(0, "s"), ended(0), stopped("end_turn", 2), over},
			"",
			[]bellcord.Thinking{signedThinking(0, "", `{"signature":"s"}`)},
			"stop", tokens(3, 2),
		},
		"with a thought that nobody signed before one that was": {
			[]string{begun(3), block(0, musing), hm(0, "abc"), ended(0), block(1, musing), hm(1, "d"), sign(1, "s"), ended(1), stopped("end_turn", 2), over},
			"",
			[]bellcord.Thinking{signedThinking(0, "abcd", `{"signature":"s","skip":3}`)},
			"stop", tokens(3, 2),
		},
		"with kinds unknown to anyone": {
			slices.Concat([]string{begun(3), `{"type":"news","x":1}`, block(1, `"type":"server_tool_use","id":"x","name":"y","input":{}`), args(1, "{"), delta(1, "odd", "odd", "odd"), ended(1), words(7, "lost")}, hello, []string{stopped("end_turn", 2), over}),
			"hello", nil, "stop", tokens(3, 2),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h collected
			reply, err := serving(t, saying(c.events...)).Generate(t.Context(), prompt("hello"), h.emit)
			if err != nil {
				t.Fatal(err)
			}
			if h.text != c.text || !reflect.DeepEqual(h.thinking, c.thinking) || reply.Finish != bellcord.Finish(c.finish) || reply.Calls != nil {
				t.Errorf("heard %+v, reply %+v", h, reply)
			}
			if (reply.Usage == nil) != (c.usage == nil) || (c.usage != nil && *reply.Usage != *c.usage) {
				t.Errorf("usage %v, want %v", reply.Usage, c.usage)
			}
		})
	}
}

func TestAsk_ToolCallDeltas_AreAssembledByBlockIndex(t *testing.T) {
	t.Parallel()
	two := []llm.Call{{ID: "a", Name: "look", Args: `{"x":1}`}, {ID: "b", Name: "wait", Args: `{}`}}
	for name, c := range map[string]struct {
		events []string
		finish string
		want   []llm.Call
	}{
		"one after the other": {
			[]string{block(0, call("a", "look")), args(0, ""), args(0, `{"x"`), args(0, `:1}`), ended(0), block(1, call("b", "wait")), args(1, ""), ended(1), stopped("tool_use", 2)},
			"tool_calls", two,
		},
		"at the same time": {
			[]string{block(1, call("a", "look")), block(2, call("b", "wait")), args(1, `{"x"`), args(2, `{`), args(1, `:1}`), args(2, `}`), ended(2), ended(1), stopped("tool_use", 2)},
			"tool_calls", two,
		},
		"whole in the block's start":   {[]string{block(0, `"type":"tool_use","id":"a","name":"look","input":{"x":1}`), ended(0), stopped("tool_use", 2)}, "tool_calls", two[:1]},
		"with another stop reason":     {[]string{block(0, call("b", "wait")), ended(0), stopped("end_turn", 2)}, "tool_calls", two[1:]},
		"cut short by the token limit": {[]string{block(0, call("a", "remove_all")), ended(0), stopped("max_tokens", 2)}, "max_output", []llm.Call{{ID: "a", Name: "remove_all"}}},
		"with the same id, or none": {
			[]string{block(0, call("a", "f")), ended(0), block(1, call("a", "f")), ended(1), block(2, call("", "f")), ended(2), stopped("tool_use", 2)},
			"tool_calls",
			[]llm.Call{{ID: "a", Name: "f", Args: "{}"}, {ID: "a_1", Name: "f", Args: "{}"}, {ID: "toolu_2", Name: "f", Args: "{}"}},
		},
		"with arguments that are no JSON": {[]string{block(0, call("a", "f")), args(0, `{"x`), ended(0), stopped("tool_use", 2)}, "tool_calls", []llm.Call{{ID: "a", Name: "f", Args: `{"x`}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply, err := serving(t, saying(append(c.events, over)...)).Generate(t.Context(), prompt("hello"), ignore)
			if err != nil || reply.Finish != bellcord.Finish(c.finish) || !reflect.DeepEqual(reply.Calls, c.want) {
				t.Errorf("reply %+v, %v; want %+v", reply, err, c.want)
			}
		})
	}
	_, err := serving(t, saying(block(0, call("a", "")), ended(0), stopped("tool_use", 2), over)).Generate(t.Context(), prompt("hello"), ignore)
	notPassing(t, err, "without a name")
}

func TestAsk_CumulativeUsage_IsNotSummed(t *testing.T) {
	t.Parallel()
	p, _ := fake(t, anthropic.Config{})
	var h collected
	reply, err := p.Generate(t.Context(), prompt("[fast 20] [runningusage] [usage 100 20] [cache 60 30]"), h.emit)
	want := bellcord.Usage{InputTokens: 100, CacheReadTokens: 60, CacheWriteTokens: 30, OutputTokens: 20, Exact: true}
	if err != nil || reply.Usage == nil || *reply.Usage != want || len(h.metered) != 1 {
		t.Errorf("usage %v, metered %v, %v", reply.Usage, h.metered, err)
	}
}

func TestAsk_ErrorAfterStopReason_ReturnsCompleteAnswer(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, r *http.Request) {
		saying(begun(3), block(0, text), words(0, "hello"), ended(0), stopped("end_turn", 2))(w, r)
		panic(http.ErrAbortHandler)
	})
	var h collected
	reply, err := p.Generate(t.Context(), prompt("hello"), h.emit)
	if err != nil || h.text != "hello" || reply.Finish != "stop" || reply.Usage == nil {
		t.Errorf("reply %+v, %v", reply, err)
	}
}

func TestAsk_UnfinishedBlock_ReturnsErrCutOff(t *testing.T) {
	t.Parallel()
	for _, last := range [][]string{{over}, nil} {
		events := append([]string{begun(3), block(0, call("a", "f")), args(0, "{}"), stopped("tool_use", 2)}, last...)
		reply, err := serving(t, saying(events...)).Generate(t.Context(), prompt("hello"), ignore)
		if !errors.Is(err, wire.ErrCutOff) || reply.Calls != nil {
			t.Errorf("reply %+v, %v", reply, err)
		}
	}
}

func TestAsk_EmitFails_ClosesConnectionAndReturnsThatError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, closed := fakeInMemory(t)
		enough := errors.New("enough")
		emits, start := 0, time.Now()
		_, err := p.Generate(t.Context(), prompt("[hang after 2] [fast 9]"), func(bellcord.Body) error {
			if emits++; emits == 2 {
				return enough
			}
			return nil
		})
		if !same(err, enough) || emits != 2 || time.Since(start) != 0 {
			t.Errorf("error %v after %d emits and %v", err, emits, time.Since(start))
		}
		if at := <-closed; !at.Equal(start) {
			t.Errorf("the connection was closed after %v", at.Sub(start))
		}
	})
}
