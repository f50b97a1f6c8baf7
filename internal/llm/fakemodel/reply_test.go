package fakemodel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

func TestServer_UsageMarkers_DetermineReportedUsage(t *testing.T) {
	t.Parallel()
	cases := []struct {
		prompt        string
		stream, whole []string
	}{
		// 8 characters in and 18 out; the role, three words and the reason have
		// no usage
		{"12345678", []string{"null", "null", "null", "null", "null", "2/5"}, []string{"2/5"}},
		{"[usage 7 9] [fast 1]", []string{"null", "null", "null", "7/9"}, []string{"7/9"}},
		{"[nousage] [fast 1]", nil, nil},
		{"[runningusage] [fast 2]", []string{"6/0", "6/2", "6/3", "6/3", "6/3"}, []string{"6/3"}},
		{"[runningusage] [usage 5 2] [fast 3]", []string{"5/0", "5/2", "5/2", "5/2", "5/2", "5/2"}, []string{"5/2"}},
	}
	for _, tc := range cases {
		t.Run(tc.prompt, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, stop := fakemodel.New().Pipe()
				defer stop()
				if got := chatRead(t, client, pipeURL, chatRequest(tc.prompt, true)).usages; !slices.Equal(got, tc.stream) {
					t.Errorf("stream reported %q, want %q", got, tc.stream)
				}
				if got := chatRead(t, client, pipeURL, chatRequest(tc.prompt, false)).usages; !slices.Equal(got, tc.whole) {
					t.Errorf("whole reply reported %q, want %q", got, tc.whole)
				}
			})
		})
	}
}

func TestServer_StreamWithoutOptions_ReportsNoUsage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, stop := fakemodel.New().Pipe()
		defer stop()
		body := `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
		if h := chatRead(t, client, pipeURL, body); len(h.usages) != 0 || !h.done {
			t.Errorf("usages %q, done %v", h.usages, h.done)
		}
	})
}

func TestServer_StatusTimes_ReturnsErrorsThenPlaysScript(t *testing.T) {
	t.Parallel()
	cases := []struct {
		prompt string
		want   []string // "status retry-after text" of each attempt
	}{
		{"[status 500]", []string{"500  ", "500  "}},
		{"[status 429 retry 2] [fast 1]", []string{"429 2 ", "429 2 "}},
		{"[status 503 retry 1 times 2] [fast 1]", []string{"503 1 ", "503 1 ", "200  word1"}},
		{"[status 429 times 1] [status 500 times 1] [fast 1]", []string{"429  ", "500  ", "200  word1"}},
	}
	for _, tc := range cases {
		t.Run(tc.prompt, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				model := fakemodel.New()
				client, stop := model.Pipe()
				defer stop()
				for i, want := range tc.want {
					h := chatRead(t, client, pipeURL, chatRequest(tc.prompt, true))
					if got := fmt.Sprintf("%d %s %s", h.status, h.header.Get("Retry-After"), h.text); got != want {
						t.Errorf("attempt %d: got %q, want %q", i, got, want)
					}
					if h.status != 200 && !strings.HasPrefix(h.body, `{"error":{"message":"`) {
						t.Errorf("attempt %d: body %s", i, h.body)
					}
				}
				if r := model.Rejections(); len(r) != 0 {
					t.Errorf("scripted errors count as rejections: %q", r)
				}
			})
		})
	}
}

func TestServer_ThenMarkers_DetermineLaterSteps(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300)
	call := func(id string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id +
			`","type":"function","function":{"name":"sh","arguments":"{}"}}]}`
	}
	result := func(id, text string) string {
		return `{"role":"tool","tool_call_id":"` + id + `","content":"` + text + `"}`
	}
	steps := []string{call("1"), result("1", "first"), call("2"), result("2", long), call("3"), result("3", "z")}
	cases := []struct {
		prompt string
		want   []string // text and calls of each step
	}{
		{`[tool a {}]`, []string{"[a {}]", "Results: 1\nfirst[]", "Results: 1\n" + long[:400] + "[]"}},
		{`[tool a {}] [then [tool b {}]]`, []string{"[a {}]", "[b {}]", "Results: 1\n" + long[:400] + "[]"}},
		{`[tool a {}] [then [tool b {}]] [then ok [fast 1]]`, []string{"[a {}]", "[b {}]", "word1[]"}},
		{`[tool a {}] [then [say b [c]] [then [fast 1] [then [fast 2]]]]`, []string{"[a {}]", "b [c][]", "word1[]", "word1 word2[]"}},
	}
	for _, tc := range cases {
		t.Run(tc.prompt, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, stop := fakemodel.New().Pipe()
				defer stop()
				messages := []string{fmt.Sprintf(`{"role":"user","content":%q}`, tc.prompt)}
				for i, want := range tc.want {
					h := chatRead(t, client, pipeURL, conversation(true, append(messages, steps[:2*i]...)...))
					if got := h.text + fmt.Sprint(h.calls); got != want {
						t.Errorf("step %d: got %q, want %q (%s)", i, got, want, h.body)
					}
				}
			})
		})
	}
}

func TestServer_BytesCut_EndsReplyAtThatByte(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New()
		client, stop := model.Pipe()
		defer stop()
		for _, stream := range []bool{true, false} {
			// The usage is fixed, because the prompts differ in length.
			body := chatRead(t, client, pipeURL, chatRequest("[usage 1 1] [fast 2]", stream)).body
			id := strings.Index(body, "-0") + 1
			for n := 0; n <= len(body)+1; n++ {
				h := chatRead(t, client, pipeURL, chatRequest(fmt.Sprintf("[bytes cut %d] [usage 1 1] [fast 2]", n), stream))
				if h.err != nil || len(h.body) != min(n, len(body)) {
					t.Fatalf("cut at %d of %d: got %d bytes, error %v", n, len(body), len(h.body), h.err)
				}
				if n <= id && h.body != body[:n] {
					t.Fatalf("cut at %d: got %q", n, h.body)
				}
			}
		}
		for _, q := range model.Requests() {
			if q.Finished.IsZero() || !q.Aborted.IsZero() {
				t.Errorf("record %+v", q)
			}
		}
	})
}
