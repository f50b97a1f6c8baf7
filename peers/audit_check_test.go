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
		load      = `> {"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}`
		loaded    = `< {"jsonrpc":"2.0","id":3,"result":{}}`
		chunk     = `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`
	)
	swap := strings.NewReplacer(`"currentModeId"`, `"modeId"`)
	mode := `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"m"}}}`
	cases := map[string]struct {
		want   string // "" for no problem
		frames []string
		http   bool
	}{
		"a good turn":                        {frames: []string{prompt, chunk, call, done, endTurn}},
		"a good stop":                        {frames: []string{prompt, call, ask, cancel, withdraw, done, cancelled}},
		"a good close":                       {frames: []string{prompt, chunk, closing, cancelled, closed}},
		"a good load":                        {frames: []string{load, chunk, loaded}},
		"a replay after the load's answer":   {want: "while no prompt is open", frames: []string{load, loaded, chunk}},
		"a replay on another stream":         {frames: []string{load, loaded, chunk, prompt, endTurn}, http: true},
		"an update after a prompt over HTTP": {want: "while no prompt is open", frames: []string{load, loaded, prompt, endTurn, chunk}, http: true},
		"no answer":                          {want: "never answered", frames: []string{prompt}},
		"two answers":                        {want: "a second answer", frames: []string{prompt, endTurn, endTurn}},
		"an answer to nobody":                {want: "answers nothing", frames: []string{endTurn}},
		"an update after the answer":         {want: "while no prompt is open", frames: []string{prompt, endTurn, chunk}},
		"an update after the close":          {want: "told of a closed session", frames: []string{closing, closed, chunk}},
		"a call left open":                   {want: "has not ended", frames: []string{prompt, call, endTurn}},
		"a call ended twice":                 {want: "had ended", frames: []string{prompt, call, done, done, endTurn}},
		"a call nobody saw":                  {want: "never shown", frames: []string{prompt, done, endTurn}},
		"a lost cancel":                      {want: "not answered cancelled", frames: []string{prompt, cancel, endTurn}},
		"a cancel answered with an error":    {want: "not answered cancelled", frames: []string{prompt, cancel, failed}},
		"a close before the prompt's answer": {want: "before the session's prompts", frames: []string{prompt, closing, closed, cancelled}},
		"a permission left open":             {want: "neither answered nor withdrawn", frames: []string{prompt, call, ask, cancel, done, cancelled}},
		"a field of a wrong name":            {want: "against the schema", frames: []string{prompt, swap.Replace(mode), endTurn}},
		"a status that version 1 lacks":      {want: "against the schema", frames: []string{prompt, call, strings.Replace(done, "completed", "cancelled", 1), done, endTurn}},
		"a root field of our own":            {want: "against the schema", frames: []string{prompt, strings.Replace(endTurn, `"stopReason"`, `"receipt":1,"stopReason"`, 1)}},
		"an unknown method":                  {want: "does not know this method", frames: []string{`< {"jsonrpc":"2.0","method":"session/updated","params":{}}`}},
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
			check := newAudit(rules)
			check.streams = c.http
			problems := check.run(messages)
			switch all := strings.Join(problems, "\n"); {
			case c.want == "" && len(problems) > 0, !strings.Contains(all, c.want), c.want != "" && len(problems) != 1:
				t.Errorf("found %q, not %q", problems, c.want)
			}
		})
	}
}
