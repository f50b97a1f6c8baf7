package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/agent/child/acp"
	"github.com/bellcord/bellcord/store/sqlite"
)

// scripted is an agent that opens a session normally, responds to a prompt with
// the given bytes, and then closes its output.
type scripted struct {
	out  *io.PipeWriter
	text []byte
}

func (s scripted) Write(record []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(record, &m) != nil {
		panic("a record that is no JSON: " + string(record))
	}
	switch m.Method {
	case "initialize":
		go func() { _, _ = io.WriteString(s.out, `{"id":`+string(m.ID)+`,"result":{"protocolVersion":1}}`+"\n") }()
	case "session/new":
		go func() { _, _ = io.WriteString(s.out, `{"id":`+string(m.ID)+`,"result":{"sessionId":"s"}}`+"\n") }()
	case "session/prompt":
		go func() {
			_, _ = s.out.Write(s.text)
			_ = s.out.Close()
		}()
	}
}

// fuzzed is a hub.Agent that uses a new Speaker for every turn.
type fuzzed struct{ text []byte }

func (f *fuzzed) Run(ctx context.Context, w *hub.Work) error {
	out, in := io.Pipe()
	speaker := acp.New(child.Process{In: scripted{in, f.text}, Out: out}, acp.Options{})
	defer speaker.Close()
	if _, err := speaker.Open(ctx, w.Session, ""); err != nil {
		return err
	}
	return speaker.Turn(ctx, w, child.Prompt{Prompt: w.Prompt})
}

// FuzzFromAgent sends arbitrary lines as an agent's response to a prompt. The
// turn must end, and its history must be readable.
func FuzzFromAgent(f *testing.F) {
	update := func(u string) string {
		return `{"method":"session/update","params":{"sessionId":"s","update":` + u + `}}` + "\n"
	}
	for _, seed := range []string{
		"", "\n\r\n{", "null\n[]\n5\n{}\n", `{"id":3,"result":{"stopReason":"end_turn"}}`,
		`{"id":3,"result":{"stopReason":"end_turn"}}` + "\n" + `{"id":3,"error":{"code":1}}`,
		`{"id":"3","error":{"code":-32603,"message":"x"}}`, `{"id":3}`, `{"id":3,"result":7}`,
		update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"1","title":"t","rawInput":{"a":"\ud800"},"status":"in_progress"}`) +
			update(`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed","content":[{"type":"terminal","terminalId":"x"}]}`) +
			`{"id":3,"result":{"stopReason":"refusal","usage":{"inputTokens":1,"outputTokens":2}}}`,
		`{"id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"1"},"options":[]}}` + "\n",
		`{"id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"a","content":"b"}}` + "\n" +
			`{"method":"$/cancel_request","params":{"requestId":9}}` + "\n",
		`{"id":null,"method":"terminal/create","params":{"sessionId":"s","command":"x"}}` + "\n",
		update(`{"sessionUpdate":"plan","entries":[{"content":"a"}]}`) + update(`{"sessionUpdate":"usage_update","used":5}`),
	} {
		f.Add([]byte(seed))
	}
	store, err := sqlite.Open(f.Context(), f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	agent := &fuzzed{}
	h, err := hub.Open(f.Context(), store, agent, hub.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := errors.Join(h.Close(context.Background()), store.Close()); err != nil {
			f.Error(err)
		}
	})
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		session, err := h.NewSession(t.Context(), bellcord.Session{Dir: dir, Mode: "ask"})
		if err != nil {
			t.Fatal(err)
		}
		agent.text = text
		turn, err := h.Prompt(session.ID, bellcord.Prompt{Text: "x"})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-turn.Settled():
		case <-time.After(patience):
			t.Fatal("the turn does not end")
		}
		if r := turn.Receipt(); strings.Contains(r.Error, "panicked") || r.EndNotDurable {
			t.Fatalf("%+v", r)
		}
		if _, err := history.Read(t.Context(), store, session.ID); err != nil {
			t.Fatal(err)
		}
	})
}
