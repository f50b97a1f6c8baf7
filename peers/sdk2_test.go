package peers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// schemaOfVersion2 is the path of the schema below the folder of the clients.
const schemaOfVersion2 = "node_modules/@agentclientprotocol/sdk/schema/v2/schema.json"

// sdk2Scenarios are the scenarios of version 2, which is a draft.
var sdk2Scenarios = map[string]func(*rig){
	"a prompt is answered":                                          sdk2Plain,
	"a cancel in mid-stream stops the model's request":              sdkMidStream,
	"a cancel during a command ends its processes before idle":      sdkTool,
	"a cancel withdraws a permission that is never answered":        sdkUnanswered,
	"a permission that is dismissed rejects the call":               sdk2Dismissed,
	"a prompt waits for the one that runs, and a cancel stops both": sdk2Overlap,
	"a close in mid-turn is answered after idle":                    sdkClose,
	"a resume replays what was streamed, or nothing":                sdk2Resume,
	"the model can be set":                                          sdk2Settings,
	"a call is cancelled alone, and the turn goes on":               sdk2CancelCall,
}

func TestTypeScriptSDK_Version2_PassesTheAudit(t *testing.T) {
	t.Parallel()
	play := func(name string, scenario func(*rig), transport string) {
		t.Run(transport+": "+name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.version2 = true
			if transport != "stdio" {
				r.network(transport)
			}
			scenario(r)
			r.judge()
		})
	}
	for name, scenario := range sdk2Scenarios {
		play(name, scenario, "stdio")
		play(name, scenario, "ws")
		play(name, scenario, "http")
	}
	play("a cancel in the same write as its prompt is never lost", sdk2SameWrite, "stdio")
}

func sdk2Plain(r *rig) {
	s := r.sdk("plain", "hello there")
	s.until("the insertion", func(e event) bool { return e.Inserted == "hello there" })
	s.answered("hello there", "end_turn")
	s.ended()
	if got := r.conversation(0); len(got) != 2 || !strings.HasSuffix(got[0], "hello there") || !strings.HasSuffix(got[1], "You said: hello there") {
		r.Errorf("conversation %q", got)
	}
}

func sdk2SameWrite(r *rig) {
	const times = 100
	s := r.sdk("sameWrite", long, fmt.Sprint(times))
	for range times {
		e := s.until("the end of a prompt", func(e event) bool { return e.Prompt == long })
		if e.StopReason != "never inserted" && e.StopReason != "cancelled" { // the turn may start before the reader gets to the cancel
			s.Errorf("a prompt ended with %q", e.StopReason)
		}
	}
	s.answered(andNow, "end_turn")
	s.ended()
	for _, q := range r.requestsWith(long) {
		if q.Aborted.IsZero() {
			r.Errorf("the model was not stopped: %+v", q)
		}
	}
	messages, together := r.messages(0), 0
	for i, m := range messages[1:] {
		if m.Method == "session/cancel" && messages[i].Method == "session/prompt" && messages[i].Write == m.Write {
			together++
		}
	}
	if together != times {
		r.Errorf("%d of %d prompts were in one write with their cancel", together, times)
	}
}

func sdk2Dismissed(r *rig) {
	prompt, mark := sleeper()
	s := r.sdk("dismissed", prompt)
	s.answered(prompt, "end_turn")
	s.ended()
	if left := running(r.T, mark); len(left) > 0 {
		r.Errorf("nobody allowed it, and it runs: %q", left)
	}
}

func sdk2Overlap(r *rig) {
	const queued = "queued and stopped"
	s := r.sdk("overlap", long, queued)
	s.answered("[slow 20 5ms]", "end_turn")
	s.answered("queued and run", "end_turn")
	s.waits("stop")
	s.awaitStreaming(long)
	s.goOn()
	s.answered(long, "cancelled")
	s.answered(queued, "never inserted")
	s.answered(andNow, "end_turn")
	s.ended()
	if late := r.requestsWith(queued); len(late) > 0 {
		r.Errorf("the model was asked: %+v", late)
	}
}

func sdk2Resume(r *rig) {
	prompts := []string{
		"[think 4 1ms] [slow 6 1ms]",
		`[tool shell {"command":"printf 'one\\ntwo'"}] [tool shell {"command":"exit 3"}] [then [say all done]]`,
		"third",
	}
	stopped := "[think 3 1ms] [slow 500 20ms]"
	s := r.sdk("resume", prompts...)
	for _, p := range prompts {
		s.answered(p, "end_turn")
	}
	s.stopWhenStreaming(stopped)
	s.answered(andNow, "end_turn")
	s.answered("and then", "end_turn")
	s.ended()
	streamed, replayed := r.conversation(0), r.conversation(1)
	replayed = replayed[:max(len(replayed)-2, 0)] // without the last prompt and its answer
	if !slices.Equal(streamed, replayed) {
		r.Errorf("streamed:\n  %s\nreplayed:\n  %s", strings.Join(streamed, "\n  "), strings.Join(replayed, "\n  "))
	}
	if got := r.conversation(2); len(got) != 2 {
		r.Errorf("a resume without a replay shows nothing of the past, but: %q", got)
	}
}

func sdk2Settings(r *rig) {
	const model = "openai/fake-mini"
	s := r.sdk("settings", model)
	set := s.until("the options", func(e event) bool { return e.Options != nil })
	if set.Options["model"] != model || set.Options["mode"] != "ask" {
		r.Errorf("options %v", set.Options)
	}
	s.answered("which model", "end_turn")
	s.refused("model", invalidParams)
	s.ended()
	if requests := r.requestsWith("which model"); len(requests) != 1 || requests[0].Model != "fake-mini" {
		r.Errorf("the model that answered is %+v", requests)
	}
}

// conversation returns the messages and calls of a connection of version 2, with their ids, as a
// client has them at the end.
func (r *rig) conversation(connection int) (lines []string) {
	r.Helper()
	var order []string
	texts := map[string]string{}
	for _, m := range r.messages(connection) {
		u := m.params.Update
		kind, chunk := strings.CutSuffix(u.Kind, "_chunk")
		key := kind + " " + u.MessageID
		switch kind {
		case "tool_call_update":
			key = "call " + u.ToolCallID
		case "user_message", "agent_message", "agent_thought":
		default:
			continue
		}
		if _, known := texts[key]; !known {
			order = append(order, key)
		}
		switch {
		case kind == "tool_call_update":
			texts[key] = u.Status + " " + string(u.Content)
		case chunk:
			texts[key] += textOf(u.Content)
		default:
			var blocks []json.RawMessage
			_ = json.Unmarshal(u.Content, &blocks) // the schema has been checked
			texts[key] = ""
			for _, b := range blocks {
				texts[key] += textOf(b)
			}
		}
	}
	for _, key := range order {
		lines = append(lines, key+": "+texts[key])
	}
	return lines
}

func sdk2CancelCall(r *rig) {
	prompt, mark := sleeper()
	prompt += " [then [say it goes on]]"
	s := r.sdk("cancelCall", prompt)
	s.waits("stop")
	r.awaitRunning(mark, 3) // both, and their shell
	s.goOn()
	s.answered(prompt, "end_turn")
	if left := running(r.T, mark); len(left) > 0 {
		r.Errorf("cancelled, and these still run: %q", left)
	}
	s.refused("call", invalidParams)
	s.ended()
	got := r.conversation(0)
	if len(got) != 3 || !strings.Contains(got[1], ": cancelled ") || !strings.HasSuffix(got[2], ": it goes on") {
		r.Errorf("conversation %q", got)
	}
}
