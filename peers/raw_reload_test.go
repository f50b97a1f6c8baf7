package peers_test

import (
	"fmt"
	"testing"
)

// reloaded returns a session that the same client loaded again loaded again while its prompt streams, as an
// editor does when its window is reopened.
func reloaded(t *testing.T) (agent *wire, session, prompt string) {
	t.Helper()
	r := bareRig(t)
	agent = r.wire()
	agent.roundTrip("initialize", map[string]any{"protocolVersion": 1})
	session = agent.session()
	agent.send(agent.request("session/prompt", promptOf(session, "[slow 100 20ms]")))
	prompt = fmt.Sprint(agent.lastID)
	agent.until(message.isChunk)
	if m := agent.roundTrip("session/load", map[string]any{"sessionId": session, "cwd": r.path("work"), "mcpServers": []any{}}); m.Error != nil {
		t.Fatal(m)
	}
	return agent, session, prompt
}

func (m message) isChunk() bool { return m.params.Update.Kind == "agent_message_chunk" }

func TestLoad_DuringATurn_PromptCanBeCancelledByItsRequest(t *testing.T) {
	t.Parallel()
	agent, _, prompt := reloaded(t)
	agent.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + prompt + "}}\n")
	if m := agent.answer(); string(m.ID) != prompt || m.params.StopReason != "cancelled" {
		t.Errorf("the cancelled prompt was answered %v", m)
	}
	agent.close()
}

func TestLoad_DuringATurn_PromptCanBeCancelledByItsSession(t *testing.T) {
	t.Parallel()
	agent, session, prompt := reloaded(t)
	agent.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + session + "\"}}\n")
	if m := agent.answer(); string(m.ID) != prompt || m.params.StopReason != "cancelled" {
		t.Errorf("the cancelled prompt was answered %v", m)
	}
	agent.close()
}

func TestLoad_DuringATurn_CloseIsAnsweredAfterThePrompt(t *testing.T) {
	t.Parallel()
	agent, session, prompt := reloaded(t)
	agent.send(agent.request("session/close", map[string]any{"sessionId": session}))
	if m := agent.answer(); string(m.ID) != prompt {
		t.Errorf("the close was answered before the prompt: %v", m)
	}
	agent.answer()
	agent.close()
}

func TestLoad_DuringATurn_SendsNoTextTwice(t *testing.T) {
	t.Parallel()
	agent, _, prompt := reloaded(t)
	counts := map[string]int{}
	agent.until(func(m message) bool {
		if m.isChunk() {
			counts[textOf(m.params.Update.Content)]++
		}
		return m.isAnswer() && string(m.ID) == prompt
	})
	for text, times := range counts {
		if times > 1 {
			t.Errorf("%q was told %d times after the load, and %d texts in all", text, times, len(counts))
			break
		}
	}
	agent.close()
}
