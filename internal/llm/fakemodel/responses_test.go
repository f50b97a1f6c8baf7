package fakemodel_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

func TestResponses_Script_DeterminesReply(t *testing.T) {
	t.Parallel()
	const (
		message = `{"id":"msg_00000001","type":"message","status":"completed","content":[{"type":"output_text","text":"word1 word2","annotations":[]}],"role":"assistant"}`
		look    = `{"id":"fc_00000001_0","type":"function_call","status":"completed","arguments":"{\"a\":1}","call_id":"call_00000001_0","name":"look"}`
		wait    = `{"id":"fc_00000001_1","type":"function_call","status":"completed","arguments":"{}","call_id":"call_00000001_1","name":"wait"}`
	)
	for _, tc := range []struct {
		prompt      string
		items       []string
		end, reason string
		usage       string
	}{
		{"[fast 2]", []string{message}, "completed", "", "2/0/0/3/0"},
		{"[fast 2] [usage 9 8] [cache 3 4]", []string{message}, "completed", "", "9/3/4/8/0"},
		{"[fast 2] [nousage]", []string{message}, "completed", "", ""},
		{`[tool look {"a":1}] [tool wait {}] [usage 1 1]`, []string{look, wait}, "completed", "", "1/0/0/1/0"},
		{`[fast 2] [tool look {"a":1}] [usage 1 1]`, []string{message, look}, "completed", "", "1/0/0/1/0"},
		{"[fast 2] [length] [usage 1 1]", []string{strings.Replace(message, `"completed"`, `"incomplete"`, 1)}, "incomplete", "max_output_tokens", "1/0/0/1/0"},
		{"[fast 2] [refuse] [usage 1 1]", []string{strings.Replace(message, `"completed"`, `"incomplete"`, 1)}, "incomplete", "content_filter", "1/0/0/1/0"},
		{`[tool look {"a":1}] [badargs wait] [length] [usage 1 1]`, []string{
			look, strings.NewReplacer(`"completed"`, `"incomplete"`, `"{}"`, `"{\"command\": \"ls -l"`).Replace(wait),
		}, "incomplete", "max_output_tokens", "1/0/0/1/0"},
		{"[say]", nil, "completed", "", "2/0/0/0/0"},
	} {
		for _, stream := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s stream %v", tc.prompt, stream), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					model := fakemodel.New()
					client, stop := model.Pipe()
					defer stop()
					h := responsesRead(t, client, responsesRequest(stream, responsesText(tc.prompt)))
					if fmt.Sprint(h.items) != fmt.Sprint(tc.items) || h.end != tc.end || h.reason != tc.reason || h.usage != tc.usage {
						t.Errorf("heard %+v", h)
					}
					words := ""
					if strings.Contains(tc.prompt, "fast") {
						words = "word1 word2"
					}
					if q := model.Requests()[0]; q.Sent != words || (stream && h.text != words) || q.Finished.IsZero() {
						t.Errorf("said %q, recorded %+v", h.text, q)
					}
				})
			})
		}
	}
}

func TestResponses_Stream_SendsAllEventsOfEveryItem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, stop := fakemodel.New().Pipe()
		defer stop()
		h := responsesRead(t, client, responsesRequest(true, responsesText(`[think 2 1h] [fast 2] [tool look {"a":1}] [tool wait {}]`)))
		want := `created in_progress
output_item.added reasoning_summary_part.added reasoning_summary_text.delta reasoning_summary_text.delta
reasoning_summary_text.done reasoning_summary_part.done output_item.done
output_item.added content_part.added output_text.delta output_text.delta output_text.done content_part.done output_item.done
output_item.added output_item.added
function_call_arguments.delta function_call_arguments.delta function_call_arguments.delta function_call_arguments.delta function_call_arguments.delta
function_call_arguments.done output_item.done function_call_arguments.done output_item.done completed`
		if got := strings.Join(h.kinds, " "); got != strings.ReplaceAll(want, "\n", " ") {
			t.Errorf("events %s", got)
		}
		if h.thinking != "thought1 thought2" || h.text != "word1 word2" {
			t.Errorf("heard %+v", h)
		}
	})
}

// sealed returns a reasoning item of the fake model, and the encrypted content
// that is sent before the item is complete.
func sealed(t *testing.T, client *http.Client) (item, unfinished string) {
	t.Helper()
	h := responsesRead(t, client, responsesRequest(true, responsesText("[think 3 0s] [fast 1]")))
	if len(h.items) != 2 {
		t.Fatalf("heard %+v", h)
	}
	_, added, _ := strings.Cut(h.body, `"item":{"id":"rs_`)
	_, added, _ = strings.Cut(added, `"encrypted_content":"`)
	unfinished, _, _ = strings.Cut(added, `"`)
	return h.items[0], unfinished
}

func TestResponses_ReasoningSentBack_IsAcceptedOnlyUnchanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, stop := fakemodel.New().Pipe()
		defer stop()
		item, unfinished := sealed(t, client)
		ask := func(item string) responsesDecoded {
			answer := `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"word1"}]}`
			return responsesRead(t, client, responsesRequest(true, responsesText("a"), item, answer, responsesText("[fast 1]")))
		}
		if h := ask(item); h.status != 200 || h.end != "completed" {
			t.Errorf("as it was given: %d %s", h.status, h.body)
		}
		_, seal, _ := strings.Cut(item, `"encrypted_content":"`)
		seal, _, _ = strings.Cut(seal, `"`)
		if len(seal) != len(unfinished) || seal == unfinished {
			t.Errorf("seal %q, unfinished %q", seal, unfinished)
		}
		for name, changed := range map[string]string{
			"other words":         strings.Replace(item, "thought2", "thought4", 1),
			"fewer words":         strings.Replace(item, " thought3", "", 1),
			"no words":            strings.Replace(item, `[{"type":"summary_text","text":"thought1 thought2 thought3"}]`, `[]`, 1),
			"another item":        strings.Replace(item, "rs_00000001", "rs_00000002", 1),
			"half a seal":         strings.Replace(item, seal, seal[:20], 1),
			"no seal":             strings.Replace(item, seal, "", 1),
			"an unfinished seal":  strings.Replace(item, seal, unfinished, 1),
			"a seal made up":      strings.Replace(item, seal, strings.ToUpper(seal), 1),
			"no seal, not a word": `{"type":"reasoning","id":"rs_00000001","summary":[]}`,
		} {
			if h := ask(changed); changed == item || h.status != 400 || !strings.Contains(h.body, "could not be verified") {
				t.Errorf("%s: %d %s", name, h.status, h.body)
			}
		}
	})
}

func TestResponses_BytesCut_EndsReplyAtThatByte(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, stop := fakemodel.New().Pipe()
		defer stop()
		script := `[usage 1 1] [think 1 0s] [fast 1] [tool look {}] [tool wait {}]`
		for _, stream := range []bool{true, false} {
			body := responsesRead(t, client, responsesRequest(stream, responsesText(script))).body
			for n := 0; n <= len(body)+1; n += 7 {
				h := responsesRead(t, client, responsesRequest(stream, responsesText(fmt.Sprintf("[bytes cut %d] %s", n, script))))
				if h.err != nil || len(h.body) != min(n, len(body)) || h.end != "" && n < len(body)-2 {
					t.Fatalf("cut at %d of %d: got %d bytes, error %v", n, len(body), len(h.body), h.err)
				}
			}
		}
	})
}

func TestResponses_CutMarkers_EndReplyEarly(t *testing.T) {
	t.Parallel()
	for script, words := range map[string]string{
		"[cut after 2] [fast 9]": "word1 word2", "[cutclean after 2] [fast 9]": "word1 word2",
		`[cut after 1] [tool look {"a":1}]`: "", "[cutclean after 0] [think 2 0s]": "",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				model := fakemodel.New()
				client, stop := model.Pipe()
				defer stop()
				for _, stream := range []bool{true, false} {
					h := responsesRead(t, client, responsesRequest(stream, responsesText(script)))
					if h.end != "" || len(h.items) != 0 || stream && h.text != words {
						t.Errorf("heard %+v", h)
					}
				}
				if q := model.Requests()[0]; q.Sent != words || q.Finished.IsZero() {
					t.Errorf("record %+v", q)
				}
			})
		})
	}
}

func TestResponses_ToolResults_AreCountedAsSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New(fakemodel.WithPace(time.Hour))
		client, stop := model.Pipe()
		defer stop()
		calls := []string{
			`{"type":"function_call","call_id":"1","name":"a","arguments":"{}"}`, `{"type":"function_call","call_id":"2","name":"a","arguments":"{}"}`,
			`{"type":"function_call_output","call_id":"1","output":"one"}`, `{"type":"function_call_output","call_id":"2","output":"two"}`,
		}
		items := []string{`{"role":"user","content":"[fast 9]"}`, `{"role":"assistant","content":"x"}`, responsesText("[tool a {}] [tool a {}] [then [fast 1]]")}
		for _, want := range []string{"", "word1", "Results: 2\none\ntwo"} {
			if h := responsesRead(t, client, responsesRequest(true, items...)); h.text != want || h.end != "completed" {
				t.Errorf("heard %+v, want %q", h, want)
			}
			items = append(items, calls...)
		}
		plain := `{"model":"fake","include":["reasoning.encrypted_content"],"input":"[say hello]"}`
		if h := responsesRead(t, client, plain); h.end != "completed" || model.Requests()[3].Sent != "hello" {
			t.Errorf("heard %+v", h)
		}
	})
}

func TestResponses_Errors_HaveTheFormOfTheAPI(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New()
		client, stop := model.Pipe()
		defer stop()
		if status, body := call(t, client, "POST", pipeURL+"/responses", ""); status != 401 || !strings.Contains(body, `"code":"invalid_api_key"`) {
			t.Errorf("%d %s", status, body)
		}
		h := responsesRead(t, client, responsesRequest(true, responsesText("[status 429 times 1] [runningusage] [fast 1]")))
		if h.status != 429 || !strings.Contains(h.body, `"code":"rate_limit_exceeded"`) {
			t.Errorf("heard %+v", h)
		}
		h = responsesRead(t, client, responsesRequest(true, responsesText("[status 429 times 1] [runningusage] [fast 1]")))
		if h.status != 200 || strings.Count(h.body, `"input_tokens":11`) != 3 {
			t.Errorf("heard %+v", h)
		}
		if h = responsesRead(t, client, responsesRequest(true)); h.status != 400 || !strings.HasPrefix(h.body, `{"error":{"message":"input: is empty"`) {
			t.Errorf("heard %+v", h)
		}
	})
}
