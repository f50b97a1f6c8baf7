package fakemodel_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

const ms = time.Millisecond

type markerCase struct {
	name     string
	prompt   string
	text     string
	thinking string
	calls    []string
	finish   string // "" for a reply without a finish reason
	took     time.Duration
	broken   bool // reading the body fails
}

func markerCases() []markerCase {
	return []markerCase{
		{name: "no marker echoes", prompt: "hello you", text: "You said: hello you", finish: "stop"},
		{name: "unknown brackets are text", prompt: "a [b] [slow", text: "You said: a [b] [slow", finish: "stop"},
		{name: "slow takes the default pace", prompt: "[slow 3]", text: "word1 word2 word3", finish: "stop", took: 40 * ms},
		{name: "slow has its own pace", prompt: "[slow 3 5ms] go", text: "word1 word2 word3", finish: "stop", took: 10 * ms},
		{name: "fast does not wait", prompt: "[fast 2]", text: "word1 word2", finish: "stop"},
		{name: "say is exact", prompt: "[say a  [b]\n c ] x", text: "a  [b]\n c ", finish: "stop"},
		{name: "reset ignores the markers before it", prompt: "[hang] [tool ls] [reset] [say one]", text: "one", finish: "stop"},
		{name: "say may be empty", prompt: "[say]", finish: "stop"},
		{name: "text markers add up", prompt: "[say one][fast 1]", text: "one word1", finish: "stop"},
		{name: "think precedes the answer", prompt: "[think 2] hi", thinking: "thought1 thought2", text: "You said: hi", finish: "stop"},
		{
			name: "think takes the pace of slow", prompt: "[think 2] [slow 2 5ms]",
			thinking: "thought1 thought2", text: "word1 word2", finish: "stop", took: 15 * ms,
		},
		{
			name: "think has its own pace", prompt: "[think 3 7ms] [fast 1]",
			thinking: "thought1 thought2 thought3", text: "word1", finish: "stop", took: 14 * ms,
		},
		{name: "tool without arguments", prompt: "[tool ls]", calls: []string{"ls {}"}, finish: "tool_calls"},
		{
			name: "tool with brackets in its arguments", prompt: `[tool sh {"a":["]}",{"b":"["}]} ] x`,
			calls: []string{`sh {"a":["]}",{"b":"["}]}`}, finish: "tool_calls",
		},
		{
			name: "text before parallel tools", prompt: `[fast 1] [tool a {"x":1}] [tool b {"longer":"arguments"}]`,
			text: "word1", calls: []string{`a {"x":1}`, `b {"longer":"arguments"}`}, finish: "tool_calls",
		},
		{name: "slow arguments", prompt: `[slowargs 10ms] [tool a {}]`, calls: []string{"a {}"}, finish: "tool_calls", took: 10 * ms},
		{name: "bad arguments", prompt: "[badargs sh]", calls: []string{`sh {"command": "ls -l`}, finish: "tool_calls"},
		{name: "length", prompt: "[length] [fast 1]", text: "word1", finish: "length"},
		{name: "length in a tool call", prompt: "[length] [badargs sh]", calls: []string{`sh {"command": "ls -l`}, finish: "length"},
		{name: "refuse", prompt: "[refuse] [say no]", text: "no", finish: "content_filter"},
		{name: "then waits for its step", prompt: "[fast 1] [then [fast 2]]", text: "word1", finish: "stop"},
	}
}

func TestServer_EachMarker_IsPlayed(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{true, false} {
		for _, tc := range markerCases() {
			name := tc.name + " as a whole"
			if stream {
				name = tc.name + " in a stream"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { checkMarker(t, tc, stream) })
			})
		}
	}
}

func checkMarker(t *testing.T, tc markerCase, stream bool) {
	t.Helper()
	model := fakemodel.New()
	client, stop := model.Pipe()
	defer stop()
	h := chatRead(t, client, pipeURL, chatRequest(tc.prompt, stream))
	if h.status != 200 || (h.err != nil) != tc.broken {
		t.Fatalf("status %d, error %v, body %s", h.status, h.err, h.body)
	}
	if h.text != tc.text || h.thinking != tc.thinking || h.finish != tc.finish || !slices.Equal(h.calls, tc.calls) {
		t.Errorf("got text %q, thinking %q, finish %q, calls %q", h.text, h.thinking, h.finish, h.calls)
	}
	if h.took != tc.took {
		t.Errorf("took %v, want %v", h.took, tc.took)
	}
	if want := stream && tc.finish != ""; h.done != want {
		t.Errorf("done %v, want %v", h.done, want)
	}
	q := model.Requests()[0]
	if q.Sent != tc.text || q.Prompt != tc.prompt || q.Status != 200 || q.Finished.IsZero() || !q.Aborted.IsZero() {
		t.Errorf("record %+v", q)
	}
}

func TestServer_CutMarkers_EndStreamEarly(t *testing.T) {
	t.Parallel()
	cases := []markerCase{
		{name: "cut breaks the connection", prompt: "[cut after 2]", text: "word1 word2", broken: true},
		{name: "cut at the start", prompt: "[cut after 0]", broken: true},
		{name: "cut in other text", prompt: "[cut after 2] [slow 9 1ms]", text: "word1 word2", broken: true, took: ms},
		{name: "cut after the text", prompt: "[cut after 9] [fast 1]", text: "word1", broken: true},
		{name: "cut in arguments", prompt: `[tool a {"b":"c"}] [cut after 1]`, calls: []string{`a {"b`}, broken: true},
		{name: "cut after thinking", prompt: "[think 1] [fast 3] [cut after 0]", thinking: "thought1", broken: true},
		{name: "cutclean ends without a reason", prompt: "[cutclean after 2]", text: "word1 word2"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { checkMarker(t, tc, true) })
		})
	}
}

func TestServer_CutMarkers_EndWholeReplyEarly(t *testing.T) {
	t.Parallel()
	for prompt, broken := range map[string]bool{"[cut after 3]": true, "[cutclean after 3]": false} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, stop := fakemodel.New().Pipe()
				defer stop()
				h := chatRead(t, client, pipeURL, chatRequest(prompt, false))
				if (h.err != nil) != broken || h.finish != "" || !strings.HasPrefix(h.body, `{"id":`) {
					t.Errorf("error %v, body %s", h.err, h.body)
				}
			})
		})
	}
}

func TestServer_ParallelCalls_AreInterleaved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, stop := fakemodel.New().Pipe()
		defer stop()
		h := chatRead(t, client, pipeURL, chatRequest(`[tool a {"x":1}] [tool b {"y":2}]`, true))
		if want := []int{0, 1, 0, 1, 0, 1}; !slices.Equal(h.order, want) {
			t.Errorf("fragments came in order %v, want %v", h.order, want)
		}
	})
}
