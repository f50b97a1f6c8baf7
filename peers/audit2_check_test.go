package peers_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// The audit itself must be tested: each of these records has one fault.
func TestAudit2_RecordWithAFault_ReportsIt(t *testing.T) {
	t.Parallel()
	rules := readSchema(t, filepath.Join(clients(t), schemaOfVersion2))
	update := func(members string) string {
		return `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + members + `}}}`
	}
	const (
		prompt   = `> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"x"}]}}`
		inserted = `< {"jsonrpc":"2.0","id":1,"result":{"messageId":"m"}}`
		refused  = `< {"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"x"}}`
		cancel   = `> {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`
		closing  = `> {"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}`
		closed   = `< {"jsonrpc":"2.0","id":2,"result":{}}`
		ask      = `< {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","title":"t","options":[{"optionId":"o","name":"n","kind":"allow_once"}]}}`
		withdraw = `< {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}`
		resume   = `> {"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}`
		resumed  = `< {"jsonrpc":"2.0","id":3,"result":{}}`
	)
	running, idle, cancelled := update(`"sessionUpdate":"state_update","state":"running"`), update(`"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"`), update(`"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"`)
	user := update(`"sessionUpdate":"user_message","messageId":"m","content":[]`)
	call, done := update(`"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress"`), update(`"sessionUpdate":"tool_call_update","toolCallId":"c","status":"cancelled"`)
	for name, test := range map[string]struct {
		want   string // "" for no problem
		frames []string
	}{
		"a good turn":                     {frames: []string{prompt, running, user, inserted, call, done, idle}},
		"a good stop":                     {frames: []string{prompt, running, user, inserted, call, ask, cancel, withdraw, done, cancelled}},
		"a cancel before the insertion":   {frames: []string{prompt, cancel, refused}},
		"a good close":                    {frames: []string{prompt, running, user, inserted, closing, cancelled, closed}},
		"a good resume":                   {frames: []string{resume, user, idle, resumed}},
		"no answer":                       {want: "never answered", frames: []string{prompt}},
		"a prompt that is not shown":      {want: "is not shown", frames: []string{prompt, running, inserted, idle}},
		"a turn without an end":           {want: "a session is running", frames: []string{prompt, running, user, inserted}},
		"an update after idle":            {want: "while the session is idle", frames: []string{prompt, running, user, inserted, idle, user}},
		"an update after the close":       {want: "told of a closed session", frames: []string{closing, closed, idle}},
		"a call left open":                {want: "has not ended", frames: []string{prompt, running, user, inserted, call, idle}},
		"a call ended twice":              {want: "had ended", frames: []string{prompt, running, user, inserted, call, done, done, idle}},
		"a lost cancel":                   {want: "has not ended cancelled", frames: []string{prompt, running, user, inserted, cancel, idle}},
		"a lost cancel before the answer": {want: "has not ended cancelled", frames: []string{prompt, cancel, running, user, inserted, idle}},
		"a close before idle":             {want: "answered while the session is running", frames: []string{prompt, running, user, inserted, closing, closed}},
		"a permission left open":          {want: "neither answered nor withdrawn", frames: []string{prompt, running, user, inserted, ask, idle}},
		"a resume without a state":        {want: "answered before the state", frames: []string{resume, resumed}},
		"a member of our own":             {want: "against the schema", frames: []string{prompt, running, user, strings.Replace(inserted, `"messageId"`, `"receipt":1,"messageId"`, 1), idle}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var messages []message
			for _, text := range test.frames {
				from := map[string]string{">": "client", "<": "agent"}[text[:1]]
				m, err := understand(frame{From: from, Text: text[2:]})
				if err != nil {
					t.Fatal(err)
				}
				messages = append(messages, m)
			}
			problems := newAudit2(rules).run(messages)
			if all := strings.Join(problems, "\n"); test.want == "" && len(problems) > 0 || !strings.Contains(all, test.want) || test.want != "" && len(problems) == 0 {
				t.Errorf("found %q, not %q", problems, test.want)
			}
		})
	}
}
