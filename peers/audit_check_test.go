package peers_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// The audit itself must be tested: each of these records has one fault.
func TestAudit_RecordWithAFault_ReportsIt(t *testing.T) {
	t.Parallel()
	rules := readSchema(t, filepath.Join(clients(t), "node_modules/@agentclientprotocol/sdk/schema/v1/schema.json"))
	const (
		prompt    = `> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}]}}`
		cancel    = `> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`
		endTurn   = `< {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`
		cancelled = `< {"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}`
		failed    = `< {"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"x"}}`
		closing   = `> {"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}`
		closed    = `< {"jsonrpc":"2.0","id":2,"result":{}}`
		call      = `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","status":"pending"}}}`
		done      = `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}}}`
		ask       = `< {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}}`
		withdraw  = `< {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}`
		chunk     = `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`
	)
	swap := strings.NewReplacer(`"currentModeId"`, `"modeId"`)
	mode := `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"m"}}}`
	cases := map[string]struct {
		want   string // "" for no problem
		frames []string
	}{
		"a good turn":                        {"", []string{prompt, chunk, call, done, endTurn}},
		"a good stop":                        {"", []string{prompt, call, ask, cancel, withdraw, done, cancelled}},
		"a good close":                       {"", []string{prompt, chunk, closing, cancelled, closed}},
		"no answer":                          {"never answered", []string{prompt}},
		"two answers":                        {"a second answer", []string{prompt, endTurn, endTurn}},
		"an answer to nobody":                {"answers nothing", []string{endTurn}},
		"an update after the answer":         {"while no prompt is open", []string{prompt, endTurn, chunk}},
		"an update after the close":          {"told of a closed session", []string{closing, closed, chunk}},
		"a call left open":                   {"has not ended", []string{prompt, call, endTurn}},
		"a call ended twice":                 {"had ended", []string{prompt, call, done, done, endTurn}},
		"a call nobody saw":                  {"never shown", []string{prompt, done, endTurn}},
		"a lost cancel":                      {"not answered cancelled", []string{prompt, cancel, endTurn}},
		"a cancel answered with an error":    {"not answered cancelled", []string{prompt, cancel, failed}},
		"a close before the prompt's answer": {"before the session's prompts", []string{prompt, closing, closed, cancelled}},
		"a permission left open":             {"neither answered nor withdrawn", []string{prompt, call, ask, cancel, done, cancelled}},
		"a field of a wrong name":            {"against the schema", []string{prompt, swap.Replace(mode), endTurn}},
		"a status that version 1 lacks":      {"against the schema", []string{prompt, call, strings.Replace(done, "completed", "cancelled", 1), done, endTurn}},
		"a root field of our own":            {"against the schema", []string{prompt, strings.Replace(endTurn, `"stopReason"`, `"receipt":1,"stopReason"`, 1)}},
		"an unknown method":                  {"does not know this method", []string{`< {"jsonrpc":"2.0","method":"session/updated","params":{}}`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var messages []message
			for _, text := range c.frames {
				from := map[string]string{">": "client", "<": "agent"}[text[:1]]
				m, err := understand(frame{From: from, Text: text[2:]})
				if err != nil {
					t.Fatal(err)
				}
				messages = append(messages, m)
			}
			problems := newAudit(rules).run(messages)
			switch all := strings.Join(problems, "\n"); {
			case c.want == "" && len(problems) > 0, !strings.Contains(all, c.want), c.want != "" && len(problems) != 1:
				t.Errorf("found %q, not %q", problems, c.want)
			}
		})
	}
}
