package openai_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// delta returns a chunk with only the fields that every server sends.
func delta(fields string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{%s}}]}`, fields)
}

func finish(reason string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

func usage(in, out int) string {
	return fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, in, out)
}

func TestAsk_StreamVariants_AreDecoded(t *testing.T) {
	t.Parallel()
	hello := delta(`"content":"hello"`)
	for name, c := range map[string]struct {
		events []string
		text   string
		mused  string
		finish string
		usage  *bellcord.Usage
	}{
		"an orderly one":                           {[]string{delta(`"role":"assistant","content":""`), hello, finish("stop"), usage(3, 1), "[DONE]"}, "hello", "", "stop", tokens(3, 1)},
		"without usage":                            {[]string{hello, finish("stop"), "[DONE]"}, "hello", "", "stop", nil},
		"with usage null":                          {[]string{hello, finish("stop"), `{"choices":[],"usage":null}`, "[DONE]"}, "hello", "", "stop", nil},
		"with usage that no null takes back":       {[]string{usage(3, 1), hello, finish("stop"), `{"choices":[],"usage":null}`}, "hello", "", "stop", tokens(3, 1)},
		"with usage before the end":                {[]string{usage(3, 0), hello, usage(3, 1), finish("stop"), usage(3, 2), "[DONE]"}, "hello", "", "stop", tokens(3, 2)},
		"without a last word":                      {[]string{hello, finish("stop")}, "hello", "", "stop", nil},
		"with an empty finish reason on all":       {[]string{`{"choices":[{"delta":{"content":"hello"},"finish_reason":""}]}`, finish("length")}, "hello", "", "max_output", nil},
		"with the finish reason on the last word":  {[]string{`{"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}`}, "hello", "", "stop", nil},
		"with reasoning_content":                   {[]string{delta(`"reasoning_content":"hm \"so\""`), hello, finish("stop")}, "hello", `hm "so"`, "stop", nil},
		"with reasoning":                           {[]string{delta(`"reasoning":"hm"`), hello, finish("stop")}, "hello", "hm", "stop", nil},
		"with both, which are the same":            {[]string{delta(`"reasoning_content":"hm","reasoning":"hm"`), finish("stop")}, "", "hm", "stop", nil},
		"with reasoning that is null or an object": {[]string{delta(`"reasoning_content":null,"reasoning":{"a":1},"content":"hello"`), finish("stop")}, "hello", "", "stop", nil},
		"with a refusal":                           {[]string{delta(`"refusal":"no"`), finish("content_filter")}, "no", "", "refused", nil},
		"with fields unknown to anyone":            {[]string{`{"x":[1],"choices":[{"y":{},"delta":{"content":"hello","z":1}}]}`, finish("stop")}, "hello", "", "stop", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h collected
			reply, err := serving(t, saying(c.events...)).Generate(t.Context(), prompt("hello"), h.emit)
			if err != nil {
				t.Fatal(err)
			}
			if h.text != c.text || h.thinkingText != c.mused || reply.Finish != bellcord.Finish(c.finish) {
				t.Errorf("heard %+v, finish %q", h, reply.Finish)
			}
			if (reply.Usage == nil) != (c.usage == nil) || (c.usage != nil && *reply.Usage != *c.usage) {
				t.Errorf("usage %v, want %v", reply.Usage, c.usage)
			}
		})
	}
}

func tokens(in, out int64) *bellcord.Usage {
	return &bellcord.Usage{InputTokens: in, OutputTokens: out, Exact: true}
}

func TestAsk_CumulativeUsage_IsNotSummed(t *testing.T) {
	t.Parallel()
	p, _ := fake(t)
	reply, err := p.Generate(t.Context(), prompt("[fast 20] [runningusage] [usage 100 20]"), ignore)
	if err != nil || reply.Usage == nil || *reply.Usage != *tokens(100, 20) {
		t.Errorf("usage %v, %v", reply.Usage, err)
	}
}

func TestAsk_StreamEndsWithoutFinishReason_ReturnsErrCutOff(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"[cut after 2] [fast 5]", "[cutclean after 2] [fast 5]", "[cut after 0] [fast 5]", "[cutclean after 0] [fast 5]",
		"[bytes cut 0]", "[bytes cut 10]", "[bytes cut 300]", `[cut after 1] [tool look {"a":1}]`, `[cutclean after 2] [tool look {"a":1}]`,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			p, _ := fake(t)
			reply, err := p.Generate(t.Context(), prompt(script), ignore)
			var passing *llm.Failure
			if !errors.Is(err, wire.ErrCutOff) || !errors.As(err, &passing) || passing.Status != 0 {
				t.Errorf("error %v", err)
			}
			if reply.Finish != "" || reply.Calls != nil || reply.Usage != nil {
				t.Errorf("reply %+v", reply)
			}
		})
	}
}

func TestAsk_ConnectionLostAfterFinishReason_ReturnsCompleteAnswer(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, r *http.Request) {
		saying(delta(`"content":"hello"`), usage(3, 1), finish("stop"))(w, r)
		panic(http.ErrAbortHandler)
	})
	var h collected
	reply, err := p.Generate(t.Context(), prompt("hello"), h.emit)
	if err != nil || h.text != "hello" || reply.Finish != "stop" || reply.Usage == nil {
		t.Errorf("reply %+v, %v", reply, err)
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
