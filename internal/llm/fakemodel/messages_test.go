package fakemodel_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// decodedMessages is one reply in Anthropic's format as decoded by a client.
type decodedMessages struct {
	status int
	body   string
	err    error    // from reading the body
	events []string // event types, without repetitions
	blocks []messagesPart
	closed []int // indexes of the blocks, in the order in which they ended
	stop   string
	usages []string // "fresh+read+write/out" as reported, "-" for an omitted field
}

type messagesPart struct {
	Type, Thinking, Signature, Text, ID, Name string
	Input                                     json.RawMessage
	args                                      string
}

type messagesNumbers struct {
	In    *int `json:"input_tokens"`
	Read  *int `json:"cache_read_input_tokens"`
	Write *int `json:"cache_creation_input_tokens"`
	Out   *int `json:"output_tokens"`
}

func (n *messagesNumbers) String() string {
	show := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	return show(n.In) + "+" + show(n.Read) + "+" + show(n.Write) + "/" + show(n.Out)
}

func requestMessages(t *testing.T, client *http.Client, body string) decodedMessages {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, pipeURL+"/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Api-Key", "key")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	got := decodedMessages{status: resp.StatusCode, body: string(raw), err: err}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		got.decode(raw)
		return got
	}
	for event := range bytes.SplitSeq(raw, []byte("\n\n")) {
		kind, data, complete := bytes.Cut(event, []byte("\ndata: "))
		if complete {
			got.take(t, strings.TrimPrefix(string(kind), "event: "), data)
		}
	}
	return got
}

func (m *decodedMessages) decode(raw []byte) {
	var reply struct {
		Content    []messagesPart
		StopReason string           `json:"stop_reason"`
		Usage      *messagesNumbers `json:"usage"`
	}
	if json.Unmarshal(raw, &reply) != nil {
		return
	}
	m.blocks, m.stop = reply.Content, reply.StopReason
	for i := range m.blocks {
		m.blocks[i].args = string(m.blocks[i].Input)
	}
	if reply.Usage != nil {
		m.usages = append(m.usages, reply.Usage.String())
	}
}

func (m *decodedMessages) take(t *testing.T, kind string, data []byte) {
	t.Helper()
	var event struct {
		Type    string
		Index   int
		Message struct{ Usage *messagesNumbers }
		Block   messagesPart `json:"content_block"`
		Delta   struct {
			Type, Text, Thinking, Signature string
			JSON                            string `json:"partial_json"`
			StopReason                      string `json:"stop_reason"`
		}
		Usage *messagesNumbers
	}
	if err := json.Unmarshal(data, &event); err != nil || event.Type != kind {
		return // truncated
	}
	if n := len(m.events); n == 0 || m.events[n-1] != kind {
		m.events = append(m.events, kind)
	}
	for _, u := range []*messagesNumbers{event.Message.Usage, event.Usage} {
		if u != nil {
			m.usages = append(m.usages, u.String())
		}
	}
	switch kind {
	case "content_block_start":
		if event.Index != len(m.blocks) {
			t.Errorf("block %d begins as number %d", event.Index, len(m.blocks))
		}
		m.blocks = append(m.blocks, event.Block)
	case "content_block_delta":
		b, d := &m.blocks[event.Index], event.Delta
		b.Text += d.Text
		b.Thinking += d.Thinking
		b.Signature += d.Signature
		b.args += d.JSON
	case "content_block_stop":
		m.closed = append(m.closed, event.Index)
	case "message_delta":
		m.stop += event.Delta.StopReason
	}
}

// shown returns one line per block.
func (m *decodedMessages) shown() []string {
	var out []string
	for _, b := range m.blocks {
		out = append(out, strings.Trim(b.Type+" "+b.Thinking+b.Text+b.Name+b.args, " "))
	}
	return out
}

func messagesBody(stream bool, messages ...string) string {
	return fmt.Sprintf(`{"model":"fake","max_tokens":100,"stream":%v,"messages":[%s]}`, stream, strings.Join(messages, ","))
}

func messagesPrompt(prompt string, stream bool) string {
	return messagesBody(stream, fmt.Sprintf(`{"role":"user","content":%q}`, prompt))
}

// inMessages runs a test against a fake model in a synctest bubble.
func inMessages(t *testing.T, test func(*testing.T, *fakemodel.Server, *http.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		model := fakemodel.New()
		client, stop := model.Pipe()
		defer stop()
		test(t, model, client)
	})
}

func TestMessages_Script_DeterminesReply(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		prompt string
		blocks []string
		stop   string
		usages []string // of the stream
	}{
		{"hello", []string{"text You said: hello"}, "end_turn", []string{"2+0+0/1", "-+-+-/4"}},
		{"[say]", nil, "end_turn", []string{"2+0+0/1", "-+-+-/0"}},
		{"[fast 2] [usage 9 5] [cache 4 3]", []string{"text word1 word2"}, "end_turn", []string{"2+4+3/1", "-+-+-/5"}},
		{"[fast 1] [length] [nousage]", []string{"text word1"}, "max_tokens", nil},
		{"[fast 1] [refuse] [nousage]", []string{"text word1"}, "refusal", nil},
		{"[fast 2] [usage 9 1] [cache 4 0] [runningusage]", []string{"text word1 word2"}, "end_turn", []string{"5+4+0/1", "5+4+0/1", "5+4+0/1", "5+4+0/1"}},
		{
			`[think 2 0s] [fast 1] [tool a {"x": 1}] [tool b {}] [nousage]`,
			[]string{"thinking thought1 thought2", "text word1", `tool_use a{"x": 1}`, "tool_use b{}"},
			"tool_use", nil,
		},
	} {
		t.Run(tc.prompt, func(t *testing.T) {
			t.Parallel()
			inMessages(t, func(t *testing.T, model *fakemodel.Server, client *http.Client) {
				m := requestMessages(t, client, messagesPrompt(tc.prompt, true))
				if got := m.shown(); !slices.Equal(got, tc.blocks) || m.stop != tc.stop || !slices.Equal(m.usages, tc.usages) {
					t.Errorf("blocks %q, stop %q, usages %q", got, m.stop, m.usages)
				}
				if len(m.closed) != len(m.blocks) || m.events[0] != "message_start" || m.events[len(m.events)-1] != "message_stop" {
					t.Errorf("closed %v, events %q", m.closed, m.events)
				}
				whole := requestMessages(t, client, messagesPrompt(tc.prompt, false))
				if got := whole.shown(); whole.stop != tc.stop || strings.Join(got, "|") != strings.ReplaceAll(strings.Join(tc.blocks, "|"), `{"x": 1}`, `{"x":1}`) {
					t.Errorf("whole: blocks %q, stop %q", got, whole.stop)
				}
				for _, q := range model.Requests() {
					if q.Rejected != "" || (len(tc.blocks) == 1 && "text "+q.Sent != tc.blocks[0]) {
						t.Errorf("record %+v", q)
					}
				}
			})
		})
	}
}

func TestMessages_BadArgs_AreStreamedUnchanged(t *testing.T) {
	t.Parallel()
	inMessages(t, func(t *testing.T, _ *fakemodel.Server, client *http.Client) {
		m := requestMessages(t, client, messagesPrompt("[badargs sh]", true))
		if got := m.shown(); !slices.Equal(got, []string{`tool_use sh{"command": "ls -l`}) || m.stop != "tool_use" {
			t.Errorf("blocks %q, stop %q", got, m.stop)
		}
	})
}

func TestMessages_ThinkingSentBack_IsAcceptedOnlyUnchanged(t *testing.T) {
	t.Parallel()
	inMessages(t, func(t *testing.T, _ *fakemodel.Server, client *http.Client) {
		prompt := `{"role":"user","content":"[think 3 0s] [tool a {}] [then [say done]]"}`
		call := requestMessages(t, client, messagesBody(true, prompt))
		first, use := call.blocks[0], call.blocks[1]
		again := func(thinking, signature string) decodedMessages {
			return requestMessages(t, client, messagesBody(true, prompt,
				fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":%q,"signature":%q},{"type":"tool_use","id":%q,"name":"a","input":{}}]}`,
					thinking, signature, use.ID),
				fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"ok"}]}`, use.ID)))
		}
		if m := again(first.Thinking, first.Signature); m.status != 200 || !slices.Equal(m.shown(), []string{"text done"}) {
			t.Errorf("status %d: %s", m.status, m.body)
		}
		for _, changed := range [][2]string{
			{first.Thinking + " ", first.Signature},
			{first.Thinking[:5], first.Signature},
			{first.Thinking, first.Signature[:32]},
			{first.Thinking, ""},
		} {
			if m := again(changed[0], changed[1]); m.status != 400 || !strings.Contains(m.body, `"type":"invalid_request_error"`) || !strings.Contains(m.body, "invalid signature") {
				t.Errorf("%q got status %d: %s", changed, m.status, m.body)
			}
		}
	})
}

func TestMessages_BytesCut_EndsReplyAtThatByte(t *testing.T) {
	t.Parallel()
	inMessages(t, func(t *testing.T, _ *fakemodel.Server, client *http.Client) {
		script := ` [think 1 0s] [usage 1 1] [fast 1] [tool a {}]`
		for _, stream := range []bool{true, false} {
			body := requestMessages(t, client, messagesPrompt(script, stream)).body
			for n := 0; n <= len(body)+1; n++ {
				m := requestMessages(t, client, messagesPrompt(fmt.Sprintf("[bytes cut %d]%s", n, script), stream))
				if m.err != nil || len(m.body) != min(n, len(body)) {
					t.Fatalf("cut at %d of %d: got %d bytes, error %v", n, len(body), len(m.body), m.err)
				}
			}
		}
	})
}

func TestMessages_SeveralTextsInOneMessage_PlaysOnlyTheLast(t *testing.T) {
	t.Parallel()
	inMessages(t, func(t *testing.T, model *fakemodel.Server, client *http.Client) {
		m := requestMessages(t, client, messagesBody(true, `{"role":"user","content":[{"type":"text","text":"[hang]"},{"type":"text","text":"[fast 1]"}]}`))
		if q := model.Requests()[0]; q.Prompt != "[fast 1]" || !slices.Equal(m.shown(), []string{"text word1"}) {
			t.Errorf("prompt %q, blocks %q", q.Prompt, m.shown())
		}
	})
}

func TestMessages_MissingKeyOrVersion_ReturnsUnauthorized(t *testing.T) {
	t.Parallel()
	inMessages(t, func(t *testing.T, _ *fakemodel.Server, client *http.Client) {
		for _, path := range []string{"POST /messages", "GET /models"} {
			method, path, _ := strings.Cut(path, " ")
			for _, missing := range []string{"X-Api-Key", "Anthropic-Version"} {
				req, _ := http.NewRequestWithContext(t.Context(), method, pipeURL+path, strings.NewReader(messagesPrompt("hi", false)))
				for key, value := range map[string]string{"Content-Type": "application/json", "X-Api-Key": "key", "Anthropic-Version": "2023-06-01"} {
					if key != missing {
						req.Header.Set(key, value)
					}
				}
				resp, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if resp.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s %s without %s: status %d, %s", method, path, missing, resp.StatusCode, body)
				}
			}
		}
	})
}
