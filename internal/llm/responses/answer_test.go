package responses_test

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

// completed is the last event of an answer, with only the required fields.
const completed = `{"type":"response.completed","response":{"status":"completed"}}`

func incomplete(reason string) string {
	return fmt.Sprintf(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":%q}}}`, reason)
}

// piece returns a delta event for the item with the given index.
func piece(kind string, index int, text string) string {
	return fmt.Sprintf(`{"type":"response.%s.delta","output_index":%d,"delta":%q}`, kind, index, text)
}

func words(text string) string { return piece("output_text", 1, text) }

// done returns the event that ends an item.
func done(index int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, index, item)
}

func toolCall(id, name, args, status string) string {
	return fmt.Sprintf(`{"type":"function_call","id":"fc_1","call_id":%q,"name":%q,"arguments":%q,"status":%q}`, id, name, args, status)
}

func usageJSON(in, cached, written, out int) string {
	return fmt.Sprintf(`{"status":"completed","usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},`+
		`"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":1}}}`, in, cached, written, out)
}

func TestAsk_StreamVariants_AreDecoded(t *testing.T) {
	t.Parallel()
	const message = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]}`
	refusal := `{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`
	part := func(n int) string {
		return fmt.Sprintf(`{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":%d,"part":{}}`, n)
	}
	summary := func(text string) string { return piece("reasoning_summary_text", 0, text) }
	for name, c := range map[string]struct {
		events []string
		text   string
		mused  string
		finish string
	}{
		"an orderly one":              {[]string{`{"type":"response.created","response":{}}`, words("hel"), words("lo"), done(1, message), completed}, "hello", "", "stop"},
		"with a last word":            {[]string{words("hello"), completed, "[DONE]"}, "hello", "", "stop"},
		"nothing at all":              {[]string{completed}, "", "", "stop"},
		"without pieces":              {[]string{done(1, message), completed}, "hello", "", "stop"},
		"two messages":                {[]string{words("one"), piece("output_text", 2, "two"), piece("output_text", 2, "!"), completed}, "one\n\ntwo!", "", "stop"},
		"out of tokens":               {[]string{words("hello"), incomplete("max_output_tokens")}, "hello", "", "max_output"},
		"filtered":                    {[]string{words("hello"), incomplete("content_filter")}, "hello", "", "refused"},
		"incomplete for a new reason": {[]string{words("hello"), incomplete("boredom")}, "hello", "", "max_output"},
		"a refusal":                   {[]string{piece("refusal", 1, "no"), done(1, refusal), completed}, "no", "", "refused"},
		"a refusal without pieces":    {[]string{done(1, refusal), completed}, "no", "", "refused"},
		"a summary in parts":          {[]string{part(0), summary("a"), summary("b"), part(1), summary("c"), words("hello"), completed}, "hello", "ab\n\nc", "stop"},
		"a summary without pieces":    {[]string{done(0, `{"type":"reasoning","summary":[{"text":"a"},{"text":"b"}]}`), completed}, "", "a\n\nb", "stop"},
		"thinking in the open":        {[]string{piece("reasoning_text", 0, "hm"), words("hello"), completed}, "hello", "hm", "stop"},
		"events unknown to anyone":    {[]string{`{"type":"response.dance","delta":"x"}`, `{}`, words("hello"), `{"type":"keepalive"}`, completed}, "hello", "", "stop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h collected
			reply, err := serving(t, saying(c.events...)).Generate(t.Context(), prompt("hello"), h.emit)
			if err != nil {
				t.Fatal(err)
			}
			if h.text != c.text || h.thinkingText != c.mused || reply.Finish != bellcord.Finish(c.finish) || reply.Usage != nil || len(h.thinking) != 0 {
				t.Errorf("heard %+v, reply %+v", h, reply)
			}
		})
	}
}

func TestAsk_UsageInSeveralEvents_ReturnsTheLast(t *testing.T) {
	t.Parallel()
	early := `{"type":"response.in_progress","response":` + usageJSON(9, 4, 0, 0) + `}`
	for name, c := range map[string]struct {
		events  []string
		usage   bellcord.Usage
		metered []bellcord.Usage
	}{
		"at the end":        {nil, bellcord.Usage{InputTokens: 9, CacheReadTokens: 4, CacheWriteTokens: 3, OutputTokens: 7, Exact: true}, nil},
		"also before":       {[]string{early, early}, bellcord.Usage{InputTokens: 9, CacheReadTokens: 4, CacheWriteTokens: 3, OutputTokens: 7, Exact: true}, []bellcord.Usage{{InputTokens: 9, CacheReadTokens: 4, Exact: true}}},
		"not counted yet":   {[]string{`{"type":"response.created","response":` + usageJSON(0, 0, 0, 0) + `}`}, bellcord.Usage{InputTokens: 9, CacheReadTokens: 4, CacheWriteTokens: 3, OutputTokens: 7, Exact: true}, nil},
		"null at the start": {[]string{`{"type":"response.created","response":{"usage":null}}`}, bellcord.Usage{InputTokens: 9, CacheReadTokens: 4, CacheWriteTokens: 3, OutputTokens: 7, Exact: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, finish := range map[string]bellcord.Finish{"completed": "stop", "incomplete": "max_output"} {
				var h collected
				last := fmt.Sprintf(`{"type":"response.%s","response":%s}`, kind, usageJSON(9, 4, 3, 7))
				reply, err := serving(t, saying(append(append([]string{}, c.events...), words("x"), last)...)).Generate(t.Context(), prompt("hello"), h.emit)
				if err != nil || reply.Finish != finish || reply.Usage == nil || *reply.Usage != c.usage || !reflect.DeepEqual(h.metered, c.metered) {
					t.Errorf("reply %+v, metered %v, %v", reply, h.metered, err)
				}
			}
		})
	}
	p, _ := fake(t)
	var h collected
	reply, err := p.Generate(t.Context(), prompt("[runningusage] [usage 100 20] [cache 60 10] [fast 3]"), h.emit)
	if err != nil || len(h.metered) != 1 || h.metered[0].InputTokens != 100 || h.metered[0].OutputTokens != 0 || reply.Usage.OutputTokens != 20 {
		t.Errorf("reply %+v, metered %v, %v", reply, h.metered, err)
	}
	if reply, err = p.Generate(t.Context(), prompt("[nousage] [fast 3]"), ignore); err != nil || reply.Usage != nil {
		t.Errorf("reply %+v, %v", reply, err)
	}
}

func TestAsk_ConnectionLostAfterLastEvent_ReturnsCompleteAnswer(t *testing.T) {
	t.Parallel()
	p := serving(t, func(w http.ResponseWriter, r *http.Request) {
		saying(words("hello"), completed)(w, r)
		panic(http.ErrAbortHandler)
	})
	var h collected
	reply, err := p.Generate(t.Context(), prompt("hello"), h.emit)
	if err != nil || h.text != "hello" || reply.Finish != "stop" {
		t.Errorf("reply %+v, %v", reply, err)
	}
}

func TestAsk_EmitFails_ClosesConnectionAndReturnsThatError(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"[hang after 2] [fast 9]", "[think 9 0s] [hang after 1]", "[think 1 0s] [hang after 2] [fast 9]"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, closed := fakeInMemory(t)
				enough := errors.New("enough")
				emits, start := 0, time.Now()
				_, err := p.Generate(t.Context(), prompt(script), func(bellcord.Body) error {
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
		})
	}
}

func TestAsk_StreamEndsWithoutLastEvent_ReturnsErrCutOff(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"[cut after 2] [fast 5]", "[cutclean after 2] [fast 5]", "[cut after 0] [fast 5]", "[cutclean after 0] [fast 5]",
		"[bytes cut 0]", "[bytes cut 10]", "[bytes cut 300]", `[cut after 1] [tool look {"a":1}]`, `[cutclean after 9] [tool look {"a":1}]`,
		"[think 5 0s] [cut after 0]", "[think 5 0s] [cutclean after 0]",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			p, _ := fake(t)
			reply, err := p.Generate(t.Context(), prompt(script), ignore)
			var cut *llm.Failure
			if !errors.Is(err, wire.ErrCutOff) || !errors.As(err, &cut) || cut.Reason != llm.CutOff {
				t.Errorf("error %v", err)
			}
			if reply.Finish != "" || reply.Calls != nil || reply.Usage != nil {
				t.Errorf("reply %+v", reply)
			}
		})
	}
}
