package anthropic_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

const (
	enabled  = `"thinking":{"budget_tokens":2048,"type":"enabled"}`
	disabled = `"thinking":{"type":"disabled"}`
	adaptive = `"thinking":{"display":"summarized","type":"adaptive"}`
)

// signed returns the fake model's signature of a thought.
func signed(thinking string) string {
	sum := sha256.Sum256([]byte("thought of the fake model: " + thinking))
	return hex.EncodeToString(sum[:])
}

func thinks(at int, thinking string) bellcord.Thinking {
	return bellcord.Thinking{At: at, Text: thinking, Signature: fmt.Appendf(nil, `{"signature":%q}`, signed(thinking))}
}

func calls(ids ...string) []bellcord.CallRequest {
	var out []bellcord.CallRequest
	for _, id := range ids {
		out = append(out, bellcord.CallRequest{ID: id, Name: "f", Arguments: json.RawMessage(`{}`)})
	}
	return out
}

func answered(id string) bellcord.Message {
	return bellcord.Message{Role: bellcord.RoleTool, Call: id, Name: "f", Text: "result of " + id}
}

func user(text string) bellcord.Message { return bellcord.Message{Role: bellcord.RoleUser, Text: text} }

func assistant(text string, thinking []bellcord.Thinking, ids ...string) bellcord.Message {
	return bellcord.Message{Role: bellcord.RoleAssistant, Text: text, Thinking: thinking, Calls: calls(ids...)}
}

func TestAsk_RepliesSentBack_AreAcceptedUnchanged(t *testing.T) {
	t.Parallel()
	for name, budget := range map[string]int64{"with a budget": 2048, "adaptive": anthropic.Adaptive, "unasked": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, server := fake(t, anthropic.Config{Thinking: budget})
			req := prompt(`[think 3 0s] [say so it is] [tool a {"x":1}] [tool b {}] [then [think 2 0s] [tool a {}] [then [think 1 0s] [say done]]]`)
			for range 3 {
				var h collected
				reply, err := p.Generate(t.Context(), req, h.emit)
				if err != nil {
					t.Fatal(err)
				}
				req.Messages = append(req.Messages, h.message(reply))
				for _, c := range reply.Calls {
					req.Messages = append(req.Messages, answered(c.ID))
				}
			}
			if last := req.Messages[len(req.Messages)-1]; last.Text != "done" || len(last.Thinking) != 1 {
				t.Errorf("the last answer is %+v", last)
			}
			req.Messages = append(req.Messages, user("[say bye]"))
			if _, err := p.Generate(t.Context(), req, ignore); err != nil {
				t.Fatal(err)
			}
			raw := string(server.Requests()[3].Raw)
			if n := strings.Count(raw, `"type":"thinking"`); n != 3 {
				t.Errorf("%d of 3 thoughts were given back in %s", n, raw)
			}
		})
	}
}

func TestAsk_ThinkingInHistory_KeepsItsPositions(t *testing.T) {
	t.Parallel()
	p, server := fake(t, anthropic.Config{})
	hidden := bellcord.Thinking{At: 5, Signature: fmt.Appendf(nil, `{"redacted":"redacted:x:%s"}`, signed("x"))}
	loose := bellcord.Thinking{At: 5, Text: "looseb", Signature: fmt.Appendf(nil, `{"signature":%q,"skip":5}`, signed("b"))}
	foreign := bellcord.Thinking{At: 2, Text: "c", Signature: json.RawMessage(`"something else"`)}
	unseen := bellcord.Thinking{At: 5, Signature: fmt.Appendf(nil, `{"signature":%q}`, signed(""))}
	_, err := p.Generate(t.Context(), llm.Request{Model: "fake", Messages: []bellcord.Message{
		user("hi"),
		assistant("hello \n", []bellcord.Thinking{thinks(0, "a"), foreign, loose, hidden, unseen, thinks(6, "nothing follows")}),
		user("[say ok]"),
	}}, ignore)
	if err != nil {
		t.Fatal(err)
	}
	raw := string(server.Requests()[0].Raw)
	want := fmt.Sprintf(`{"content":[{"signature":%q,"thinking":"a","type":"thinking"},{"text":"hello","type":"text"}],"role":"assistant"}`, signed("a"))
	if !strings.Contains(raw, want) {
		t.Errorf("sent\n%s\nwithout\n%s", raw, want)
	}
	_, err = p.Generate(t.Context(), llm.Request{Model: "fake", Messages: []bellcord.Message{
		user("hi"), assistant("hello world", []bellcord.Thinking{loose, hidden, unseen}), user("[say ok]"),
	}}, ignore)
	if err != nil {
		t.Fatal(err)
	}
	raw = string(server.Requests()[1].Raw)
	want = fmt.Sprintf(`[{"text":"hello","type":"text"},{"signature":%q,"thinking":"b","type":"thinking"},`+
		`{"data":"redacted:x:%s","type":"redacted_thinking"},{"signature":%q,"thinking":"","type":"thinking"},{"text":" world","type":"text"}]`,
		signed("b"), signed("x"), signed(""))
	if !strings.Contains(raw, want) {
		t.Errorf("sent\n%s\nwithout\n%s", raw, want)
	}
}

func TestAsk_TurnBegunWithoutThinking_DisablesThinking(t *testing.T) {
	t.Parallel()
	thinking := []bellcord.Thinking{thinks(0, "hm")}
	for name, c := range map[string]struct {
		messages []bellcord.Message
		want     string
		thoughts int
	}{
		"a first prompt":                       {[]bellcord.Message{user("hi")}, enabled, 0},
		"after an answer without thoughts":     {[]bellcord.Message{user("hi"), assistant("yes", nil), user("hi")}, enabled, 0},
		"a turn that began with a thought":     {[]bellcord.Message{user("hi"), assistant("", thinking, "a"), answered("a")}, enabled, 1},
		"a later step without one":             {[]bellcord.Message{user("hi"), assistant("", thinking, "a"), answered("a"), assistant("", nil, "b"), answered("b")}, enabled, 1},
		"a turn that began without":            {[]bellcord.Message{user("hi"), assistant("", nil, "a"), answered("a")}, disabled, 0},
		"a turn that began with words":         {[]bellcord.Message{user("hi"), assistant("so", []bellcord.Thinking{thinks(2, "hm")}, "a"), answered("a")}, disabled, 0},
		"a thought in a later step":            {[]bellcord.Message{user("hi"), assistant("", nil, "a"), answered("a"), assistant("", thinking, "b"), answered("b")}, disabled, 0},
		"a new prompt behind results without":  {[]bellcord.Message{user("hi"), assistant("", nil, "a"), answered("a"), user("go on")}, disabled, 0},
		"a turn after one that had none":       {[]bellcord.Message{user("hi"), assistant("", nil, "a"), answered("a"), user("go on"), assistant("", thinking, "b"), answered("b")}, enabled, 1},
		"a turn without after one that had":    {[]bellcord.Message{user("hi"), assistant("", thinking, "a"), answered("a"), user("go on"), assistant("", nil, "b"), answered("b")}, disabled, 1},
		"a turn that ended, with thoughts":     {[]bellcord.Message{user("hi"), assistant("", thinking, "a"), answered("a"), assistant("so", nil), user("hi")}, enabled, 1},
		"a turn that ended, without a thought": {[]bellcord.Message{user("hi"), assistant("", nil, "a"), answered("a"), assistant("so", nil), user("hi")}, enabled, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for budget, want := range map[int64]string{2048: c.want, anthropic.Adaptive: adaptive} {
				p, server := fake(t, anthropic.Config{Thinking: budget})
				if _, err := p.Generate(t.Context(), llm.Request{Model: "fake", Messages: c.messages}, ignore); err != nil {
					t.Fatal(err)
				}
				raw := string(server.Requests()[0].Raw)
				if !strings.Contains(raw, want) {
					t.Errorf("sent %s without %s", raw, want)
				}
				if n := strings.Count(raw, `"type":"thinking"`); budget > 0 && n != c.thoughts {
					t.Errorf("%d thoughts in %s, want %d", n, raw, c.thoughts)
				}
			}
		})
	}
}

func TestAsk_MaxTokens_LeavesRoomForAnswerAfterThinking(t *testing.T) {
	t.Parallel()
	for c, want := range map[anthropic.Config]int{
		{}: 32000, {MaxTokens: 500}: 500, {Thinking: 1024}: 32000, {Thinking: 24000}: 32000, {Thinking: 40000}: 48000,
		{Thinking: 1024, MaxTokens: 1025}: 1025, {Thinking: anthropic.Adaptive, MaxTokens: 9}: 9,
	} {
		p, server := fake(t, c)
		if _, err := p.Generate(t.Context(), prompt("hello"), ignore); err != nil {
			t.Fatal(err)
		}
		if raw := string(server.Requests()[0].Raw); !strings.Contains(raw, fmt.Sprintf(`"max_tokens":%d,`, want)) {
			t.Errorf("%+v sent %s", c, raw)
		}
	}
}

// The core repairs what a stop leaves at any point of an answer. The strict
// fake model must accept the result.
func TestAsk_HistoryAfterStop_IsAcceptedOnceRepaired(t *testing.T) {
	t.Parallel()
	unfinished := bellcord.Thinking{Text: "hm"}
	for name, left := range map[string][]bellcord.Message{
		"in the first thought":    {{Role: bellcord.RoleAssistant, Thinking: []bellcord.Thinking{unfinished}}},
		"behind a sealed thought": {assistant("", []bellcord.Thinking{thinks(0, "hm")})},
		"in the text":             {assistant("so ", []bellcord.Thinking{thinks(0, "hm")})},
		"in a second thought":     {assistant("so", []bellcord.Thinking{thinks(0, "hm"), {At: 2, Text: "hm"}})},
		"between call and result": {assistant("so", []bellcord.Thinking{thinks(0, "hm")}, "a", "b"), answered("a")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, budget := range []int64{0, 2048, anthropic.Adaptive} {
				p, _ := fake(t, anthropic.Config{Thinking: budget})
				messages := append([]bellcord.Message{user("hi")}, append(left, user("[say ok]"))...)
				if _, err := p.Generate(t.Context(), llm.Request{Model: "fake", Messages: history.Repair(messages)}, ignore); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestFakeModel_TamperedSignature_RejectsRequest(t *testing.T) {
	t.Parallel()
	server := fakemodel.New()
	client, stop := server.Pipe()
	defer stop()
	p := anthropic.New(anthropic.Config{BaseURL: "http://fake", Key: "key", HTTP: client})
	bad := thinks(0, "hm")
	bad.Text = "hmm"
	_, err := p.Generate(t.Context(), llm.Request{Model: "fake", Messages: []bellcord.Message{user("hi"), assistant("so", []bellcord.Thinking{bad}), user("hi")}}, ignore)
	notPassing(t, err, "invalid signature")
}
