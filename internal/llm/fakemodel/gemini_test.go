package fakemodel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

const (
	streamed = "streamGenerateContent?alt=sse"
	atOnce   = "generateContent"
)

func TestGemini_Script_DeterminesReply(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]geminiDecoded{
		"hello":                  {text: "You said: hello", finish: "STOP"},
		"[think 2 0s] [say a b]": {text: "a b", thinking: "thought1 thought2", finish: "STOP"},
		"[slow 3 5ms]":           {text: "word1 word2 word3", finish: "STOP", took: 10 * time.Millisecond},
		`[tool f {"z":1,"a":"x y z long"}] [tool g]`:        {calls: []string{`f {"z":1,"a":"x y z long"}`, `g {}`}, finish: "STOP"},
		`[slowargs 1s] [say so] [tool f {"a":"123456789"}]`: {text: "so", calls: []string{`f {"a":"123456789"}`}, finish: "STOP", took: 2 * time.Second},
		"[length] [say a]":        {text: "a", finish: "MAX_TOKENS"},
		"[refuse] [say a]":        {text: "a", finish: "SAFETY"},
		"[badargs f]":             {finish: "MALFORMED_FUNCTION_CALL"},
		`[tool f {}] [badargs g]`: {calls: []string{"f {}"}, finish: "MALFORMED_FUNCTION_CALL"},
	} {
		for _, method := range []string{streamed, atOnce} {
			t.Run(prompt+" "+method, func(t *testing.T) {
				t.Parallel()
				inGemini(t, func(t *testing.T, model *fakemodel.Server, client *http.Client) {
					got := geminiRead(t, client, method, geminiPrompt(prompt))
					got.status, got.body, got.signed, got.usages = 0, "", nil, nil
					if !reflect.DeepEqual(got, want) {
						t.Errorf("heard %+v, want %+v", got, want)
					}
					if q := model.Requests()[0]; q.Sent != want.text || q.Model != "fake" || q.Prompt != prompt || q.Finished.IsZero() {
						t.Errorf("recorded %+v", q)
					}
				})
			})
		}
	}
}

func TestGemini_EveryChunk_ReportsUsage(t *testing.T) {
	t.Parallel()
	inGemini(t, func(t *testing.T, _ *fakemodel.Server, client *http.Client) {
		h := geminiRead(t, client, streamed, geminiPrompt("[usage 20 9] [cache 5 0] [think 1 0s] [say a b]"))
		if want := []string{"20/5/0/2", "20/5/1/2", "20/5/1/2", "20/5/7/2"}; !reflect.DeepEqual(h.usages, want) {
			t.Errorf("usages %v", h.usages)
		}
		if h := geminiRead(t, client, streamed, geminiPrompt("[nousage] [say a b]")); h.usages != nil {
			t.Errorf("usages %v", h.usages)
		}
	})
}

func TestGemini_Reply_SignsFirstTextAfterThinkingFirstCallAndEnd(t *testing.T) {
	t.Parallel()
	inGemini(t, func(t *testing.T, _ *fakemodel.Server, client *http.Client) {
		for prompt, want := range map[string][]string{
			"[say a b]":               nil,
			"[think 2 0s] [say a b]":  {`{"text":"a",`, `{"text":"",`},
			`[tool f {}] [tool g {}]`: {`{"functionCall":{"id":"gem_`},
			`[think 2 0s] [say a b] [tool f {}] [tool g {"a":1}]`: {`{"text":"a",`, `{"functionCall":{"id":"gem_`},
		} {
			h := geminiRead(t, client, streamed, geminiPrompt(prompt))
			if len(h.signed) != len(want) {
				t.Fatalf("%s: signed %q", prompt, h.signed)
			}
			for i, start := range want {
				if !strings.HasPrefix(h.signed[i], start) {
					t.Errorf("%s: signed %q", prompt, h.signed)
				}
			}
		}
	})
}

func TestGemini_ToolResults_AreCountedAndRepeated(t *testing.T) {
	t.Parallel()
	inGemini(t, func(t *testing.T, model *fakemodel.Server, client *http.Client) {
		prompt := fmt.Sprintf(`{"text":%q}`, `[tool f {"x":1}] [tool g {}]`)
		h := geminiRead(t, client, streamed, geminiRequest(geminiContent("user", prompt)))
		var first geminiPart
		if len(h.signed) != 1 || json.Unmarshal([]byte(h.signed[0]), &first) != nil {
			t.Fatalf("signed %q", h.signed)
		}
		results := geminiContent("user",
			fmt.Sprintf(`{"functionResponse":{"id":%q,"name":"f","response":{"output":"seen"}}}`, first.Call.ID),
			`{"functionResponse":{"id":"other","name":"g","response":{"error":"gone"}}}`)
		calls := geminiContent("model", h.signed[0], `{"functionCall":{"id":"other","name":"g","args":{}}}`)
		h = geminiRead(t, client, streamed, geminiRequest(geminiContent("user", prompt), calls, results))
		if h.text != "Results: 2\nseen\ngone" || h.status != 200 {
			t.Errorf("heard %+v", h)
		}
		next := strings.TrimSuffix(results, "]}") + `,{"text":"[say next]"}]}`
		if h = geminiRead(t, client, streamed, geminiRequest(geminiContent("user", prompt), calls, next)); h.text != "next" {
			t.Errorf("heard %+v", h)
		}
		if rejected := model.Rejections(); rejected != nil {
			t.Errorf("refused %q", rejected)
		}
	})
}

func TestGemini_BytesCut_ReturnsTheSameBytesInEveryRequest(t *testing.T) {
	t.Parallel()
	inGemini(t, func(t *testing.T, model *fakemodel.Server, client *http.Client) {
		const script = `[think 1 0s] [say a b] [tool f {"x":1}] [bytes cut %04d]`
		body := geminiRead(t, client, streamed, geminiPrompt(fmt.Sprintf(script, 9999))).body
		for n := range len(body) {
			if status, _ := call(t, client, http.MethodDelete, "http://fake/requests", ""); status != http.StatusNoContent {
				t.Fatalf("the records were not forgotten: %d", status)
			}
			if h := geminiRead(t, client, streamed, geminiPrompt(fmt.Sprintf(script, n))); h.body != body[:n] {
				t.Fatalf("cut at %d: %q, want %q", n, h.body, body[:n])
			}
		}
		if q := model.Requests(); q[0].Sent != "a b" || q[0].Finished.IsZero() {
			t.Errorf("recorded %+v", q[0])
		}
	})
}

func TestGemini_HangAndCutMarkers_EndReplyThere(t *testing.T) {
	t.Parallel()
	inGemini(t, func(t *testing.T, model *fakemodel.Server, client *http.Client) {
		for script, sent := range map[string]string{
			"[hang]": "", "[hangheaders]": "", "[hang after 2] [fast 5]": "word1 word2", `[hang after 2] [tool f {"a":"bcdefghijklm"}]`: "",
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			resp, err := geminiPost(ctx, client, streamed, geminiPrompt(script))
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			cancel()
			synctest.Wait()
			all := model.Requests()
			if q := all[len(all)-1]; !errors.Is(err, context.DeadlineExceeded) || q.Sent != sent || q.Aborted.IsZero() {
				t.Errorf("%s: %v, recorded %+v", script, err, q)
			}
		}
		if h := geminiRead(t, client, streamed, geminiPrompt("[cut after 2] [fast 5]")); h.err == nil || h.text != "word1 word2" {
			t.Errorf("heard %+v", h)
		}
		if h := geminiRead(t, client, streamed, geminiPrompt("[cutclean after 2] [fast 5]")); h.err != nil || h.text != "word1 word2" || h.finish != "" {
			t.Errorf("heard %+v", h)
		}
		if h := geminiRead(t, client, atOnce, geminiPrompt("[cutclean after 2] [fast 5]")); h.err != nil || json.Valid([]byte(h.body)) {
			t.Errorf("heard %+v", h)
		}
	})
}

func TestGemini_Errors_HaveTheFormOfTheAPI(t *testing.T) {
	t.Parallel()
	inGemini(t, func(t *testing.T, model *fakemodel.Server, client *http.Client) {
		for status, word := range map[int]string{
			400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 418: "UNKNOWN",
		} {
			h := geminiRead(t, client, streamed, geminiPrompt(fmt.Sprintf("[status %d]", status)))
			want := fmt.Sprintf(`{"error":{"code":%d,"message":"the script asked for this error","status":%q}}`, status, word)
			if h.status != status || h.body != want {
				t.Errorf("heard %+v", h)
			}
		}
		for method, status := range map[string]int{"streamGenerateContent": 400, "embedContent": 404} {
			if h := geminiRead(t, client, method, geminiPrompt("hello")); h.status != status {
				t.Errorf("%s: %+v", method, h)
			}
		}
		if h := geminiRead(t, client, streamed, `{"contents":[]}`); h.status != 400 || !strings.Contains(h.body, "contents: is empty") {
			t.Errorf("heard %+v", h)
		}
		if status, _ := call(t, client, http.MethodPost, geminiURL+"/fake:"+streamed, "Bearer key"); status != 401 {
			t.Errorf("a request without a key got status %d", status)
		}
		if status, _ := call(t, client, http.MethodGet, geminiURL, "Bearer key"); status != 401 {
			t.Errorf("a list without a key got status %d", status)
		}
		if n := len(model.Rejections()); n != 2 {
			t.Errorf("%d rejections", n)
		}
	})
}
