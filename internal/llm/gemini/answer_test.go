package gemini_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// parts returns a chunk with only these parts.
func parts(list ...string) string {
	return `{"candidates":[{"content":{"parts":[` + strings.Join(list, ",") + `],"role":"model"}}]}`
}

func finish(reason string) string {
	return fmt.Sprintf(`{"candidates":[{"content":{"role":"model"},"finishReason":%q}]}`, reason)
}

func usage(fields string) string {
	return `{"candidates":[{"content":{"parts":[]}}],"usageMetadata":{` + fields + `}}`
}

func TestAsk_StreamVariants_AreDecoded(t *testing.T) {
	t.Parallel()
	hello := parts(`{"text":"hello"}`)
	for name, c := range map[string]struct {
		events []string
		text   string
		mused  string
		finish string
		usage  *bellcord.Usage
	}{
		"an orderly one":                    {[]string{hello, usage(`"promptTokenCount":3,"candidatesTokenCount":1`), finish("STOP")}, "hello", "", "stop", &bellcord.Usage{InputTokens: 3, OutputTokens: 1, Exact: true}},
		"with thoughts and a cache":         {[]string{parts(`{"text":"hm","thought":true}`), hello, usage(`"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":1,"thoughtsTokenCount":5,"toolUsePromptTokenCount":2`), finish("STOP")}, "hello", "hm", "stop", &bellcord.Usage{InputTokens: 11, CacheReadTokens: 4, OutputTokens: 6, Exact: true}},
		"with the last usage that counts":   {[]string{usage(`"promptTokenCount":3`), hello, usage(`"promptTokenCount":3,"candidatesTokenCount":2`), finish("STOP"), usage(`"promptTokenCount":3,"candidatesTokenCount":4`)}, "hello", "", "stop", &bellcord.Usage{InputTokens: 3, OutputTokens: 4, Exact: true}},
		"with usage that knows no input":    {[]string{hello, usage(`"totalTokenCount":4`), finish("STOP")}, "hello", "", "stop", nil},
		"with a finish reason on all":       {[]string{`{"candidates":[{"content":{"parts":[{"text":"hel"}]},"finishReason":"STOP"}]}`, `{"candidates":[{"content":{"parts":[{"text":"lo"}]},"finishReason":"STOP"}]}`}, "hello", "", "stop", nil},
		"with a finish reason that is none": {[]string{`{"candidates":[{"content":{"parts":[{"text":"hello"}]},"finishReason":"FINISH_REASON_UNSPECIFIED"}]}`, finish("MAX_TOKENS")}, "hello", "", "max_output", nil},
		"with a finish and no content":      {[]string{hello, `{"candidates":[{"finishReason":"STOP","index":0}]}`}, "hello", "", "stop", nil},
		"with a second candidate":           {[]string{`{"candidates":[{"content":{"parts":[{"text":"hello"}]}},{"content":{"parts":[{"text":"no"}]}}]}`, finish("STOP")}, "hello", "", "stop", nil},
		"with fields unknown to anyone":     {[]string{`{"x":[1],"candidates":[{"y":{},"content":{"parts":[{"text":"hello","z":1}]}}]}`, finish("STOP")}, "hello", "", "stop", nil},
		"with parts of other kinds":         {[]string{parts(`{"executableCode":{"code":"x"}}`, `{"text":"hello"}`), finish("STOP")}, "hello", "", "stop", nil},
		"with a prompt that was blocked":    {[]string{`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":3}}`}, "", "", "refused", &bellcord.Usage{InputTokens: 3, Exact: true}},
		"with safety":                       {[]string{hello, finish("SAFETY")}, "hello", "", "refused", nil},
		"with recitation":                   {[]string{hello, finish("RECITATION")}, "hello", "", "refused", nil},
		"with a blocklist":                  {[]string{hello, finish("BLOCKLIST")}, "hello", "", "refused", nil},
		"with prohibited content":           {[]string{hello, finish("PROHIBITED_CONTENT")}, "hello", "", "refused", nil},
		"with personal data":                {[]string{hello, finish("SPII")}, "hello", "", "refused", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h collected
			reply, err := serving(t, saying(c.events...)).Generate(t.Context(), prompt("hello"), h.emit)
			if err != nil {
				t.Fatal(err)
			}
			if h.text != c.text || h.thinkingText != c.mused || reply.Finish != bellcord.Finish(c.finish) || !reflect.DeepEqual(reply.Usage, c.usage) {
				t.Errorf("heard %+v, finish %q, usage %v", h, reply.Finish, reply.Usage)
			}
			if want := min(1, len(h.metered)); c.usage != nil && want != 1 || len(h.metered) > 1 {
				t.Errorf("metered %v", h.metered)
			}
		})
	}
}

func TestAsk_ToolCalls_ArriveAsWritten(t *testing.T) {
	t.Parallel()
	seal := json.RawMessage(`{"signature":"c2ln"}`)
	for name, c := range map[string]struct {
		events []string
		want   []llm.Call
	}{
		"with ids and a signature": {
			[]string{parts(`{"functionCall":{"id":"a","name":"look","args":{"z":1,"a":12345678901234567890}},"thoughtSignature":"c2ln"}`), parts(`{"functionCall":{"id":"b","name":"wait","args":{}}}`)},
			[]llm.Call{{ID: "a", Name: "look", Args: `{"z":1,"a":12345678901234567890}`, Seal: seal}, {ID: "b", Name: "wait", Args: `{}`}},
		},
		"without ids, in one chunk": {
			[]string{parts(`{"functionCall":{"name":"look","args":{"x": 1.0}}}`, `{"functionCall":{"name":"look","args":{"x":2}}}`)},
			[]llm.Call{{ID: "look_0", Name: "look", Args: `{"x": 1.0}`}, {ID: "look_1", Name: "look", Args: `{"x":2}`}},
		},
		"with one id for all": {
			[]string{parts(`{"functionCall":{"id":"a","name":"look"}}`, `{"functionCall":{"id":"a","name":"look","args":null}}`)},
			[]llm.Call{{ID: "a", Name: "look", Args: `{}`}, {ID: "a_1", Name: "look", Args: `{}`}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply, err := serving(t, saying(append(c.events, finish("STOP"))...)).Generate(t.Context(), prompt("hello"), ignore)
			if err != nil || reply.Finish != "tool_calls" || !reflect.DeepEqual(reply.Calls, c.want) {
				t.Errorf("reply %+v, %v; want %+v", reply, err, c.want)
			}
		})
	}
}

func TestAsk_CallWithoutName_ReturnsError(t *testing.T) {
	t.Parallel()
	_, err := serving(t, saying(parts(`{"functionCall":{"args":{}}}`), finish("STOP"))).Generate(t.Context(), prompt("hello"), ignore)
	notPassing(t, err, "without a name")
}

func TestAsk_MalformedFunctionCall_ReturnsRetryableFailure(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	reply, err := p.Generate(t.Context(), prompt(`[badargs look]`), ignore)
	if u := passing(t, err, 0); !strings.Contains(u.Error(), "MALFORMED_FUNCTION_CALL: Malformed function call: look") || reply.Calls != nil {
		t.Errorf("reply %+v, %v", reply, err)
	}
	_, err = serving(t, saying(finish("UNEXPECTED_TOOL_CALL"))).Generate(t.Context(), prompt("hello"), ignore)
	if u := passing(t, err, 0); !strings.Contains(u.Error(), "UNEXPECTED_TOOL_CALL") {
		t.Errorf("error %v", err)
	}
}

func TestAsk_Signatures_AreEmittedBeforeTheirText(t *testing.T) {
	t.Parallel()
	p := serving(t, saying(
		parts(`{"text":"hm","thought":true,"thoughtSignature":"AAAA"}`), parts(`{"text":"a"}`), parts(`{"text":"bé","thoughtSignature":"BBBB"}`),
		parts(`{"text":"c"}`), parts(`{"text":"","thoughtSignature":"CCCC"}`), finish("STOP")))
	var h collected
	if _, err := p.Generate(t.Context(), prompt("hello"), h.emit); err != nil {
		t.Fatal(err)
	}
	want := []bellcord.Thinking{
		{At: 0, Text: "hm", Signature: json.RawMessage(`{"signature":"AAAA","thought":true}`)},
		{At: 1, Signature: json.RawMessage(`{"signature":"BBBB","bytes":3}`)},
		{At: 5, Signature: json.RawMessage(`{"signature":"CCCC"}`)},
	}
	if !reflect.DeepEqual(h.thinking, want) || h.text != "abéc" {
		t.Errorf("heard %+v", h)
	}
}

func TestAsk_StreamEndsWithoutFinishReason_ReturnsErrCutOff(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"[cut after 2] [fast 5]", "[cutclean after 2] [fast 5]", "[cut after 0] [fast 5]", "[cutclean after 0] [fast 5]",
		"[bytes cut 0]", "[bytes cut 10]", "[bytes cut 300]", `[cut after 1] [tool look {"a":1}]`, `[cutclean after 9] [tool look {"a":1}]`,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			p, _ := fake(t)
			reply, err := p.Generate(t.Context(), prompt(script), ignore)
			var passing *llm.Failure
			if !errors.Is(err, wire.ErrCutOff) || !errors.As(err, &passing) || passing.Status != 0 || passing.Reason != llm.CutOff {
				t.Errorf("error %v", err)
			}
			if reply.Finish != "" || reply.Calls != nil || reply.Usage != nil {
				t.Errorf("reply %+v", reply)
			}
		})
	}
}

// TestAsk_CutAtAnyByte_IsNeverComplete cuts an answer with every kind of
// content after each of its bytes.
func TestAsk_CutAtAnyByte_IsNeverComplete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, _ := fakeInMemory(t)
		const script = `[think 1 0s] [say so be] [tool f {"a":1}] [tool g {}]`
		var uncut collected
		full, err := p.Generate(t.Context(), prompt(script), uncut.emit)
		if err != nil || len(full.Calls) != 2 || len(uncut.thinking) != 1 {
			t.Fatalf("reply %+v, %v, heard %+v", full, err, uncut)
		}
		complete := false
		for n := 0; !complete; n++ {
			var h collected
			reply, err := p.Generate(t.Context(), prompt(fmt.Sprintf("%s [bytes cut %05d]", script, n)), h.emit)
			if !strings.HasPrefix(uncut.text, h.text) || !strings.HasPrefix(uncut.thinkingText, h.thinkingText) {
				t.Fatalf("cut at %d: heard %+v", n, h)
			}
			for i, thinking := range h.thinking {
				if !reflect.DeepEqual(thinking, uncut.thinking[i]) || len(h.thinkingText) < len(uncut.thinkingText) {
					t.Fatalf("cut at %d: sealed %+v", n, thinking)
				}
			}
			switch complete = err == nil; {
			case complete && (reply.Finish != "tool_calls" || len(reply.Calls) != 2 || reply.Calls[0].Seal == nil):
				t.Fatalf("cut at %d: reply %+v", n, reply)
			case !complete && (!errors.Is(err, wire.ErrCutOff) || reply.Calls != nil):
				t.Fatalf("cut at %d: reply %+v, %v", n, reply, err)
			case n > 1<<14:
				t.Fatal("it is never complete")
			}
		}
	})
}

func TestAsk_ConnectionLostAfterFinishReason_ReturnsCompleteAnswer(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, r *http.Request) {
		saying(parts(`{"text":"hello"}`), usage(`"promptTokenCount":3`), finish("STOP"))(w, r)
		panic(http.ErrAbortHandler)
	})
	var h collected
	reply, err := p.Generate(t.Context(), prompt("hello"), h.emit)
	if err != nil || h.text != "hello" || reply.Finish != "stop" || reply.Usage == nil {
		t.Errorf("reply %+v, %v", reply, err)
	}
}

func TestAsk_FinishReasonContinuation_ReturnsErrCutOffWithoutNewRequest(t *testing.T) {
	t.Parallel()
	requests := 0
	p := serving(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		saying(`{"candidates":[{"content":{"parts":[{"text":"he"}]},"continuationToken":"AAAA"}]}`, finish("CONTINUATION"))(w, r)
	})
	_, err := p.Generate(t.Context(), prompt("hello"), ignore)
	if !errors.Is(err, wire.ErrCutOff) || requests != 1 {
		t.Errorf("error %v after %d requests", err, requests)
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
