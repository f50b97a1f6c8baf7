package peers_test

import (
	"encoding/json"
	"slices"
	"strings"
)

// resourceNotFound is the protocol's code for a session that does not exist.
const resourceNotFound, invalidParams = -32002, -32602

func sdkClose(r *rig) {
	s := r.sdk("close", long)
	s.stopWhenStreaming(long)
	s.until("the close", func(e event) bool { return e.Closed != "" })
	s.refused("prompt", resourceNotFound)
	s.ended()
}

func sdkLoad(r *rig) {
	prompts := []string{
		"[think 4 1ms] [slow 6 1ms]",
		`[tool shell {"command":"printf 'one\\ntwo'"}] [tool shell {"command":"exit 3"}] [then [say all done]]`,
		"third",
	}
	stopped := "[think 3 1ms] [slow 500 20ms]"
	s := r.sdk("load", prompts...)
	for _, p := range prompts {
		s.answered(p, "end_turn")
	}
	s.stopWhenStreaming(stopped)
	s.answered(andNow, "end_turn")
	s.ended()
	streamed, replayed := r.transcript(0), r.transcript(1)
	replayed = replayed[:max(len(replayed)-2, 0)] // without the last prompt and its answer
	if !slices.Equal(streamed, replayed) {
		r.Errorf("streamed:\n  %s\nreplayed:\n  %s", strings.Join(streamed, "\n  "), strings.Join(replayed, "\n  "))
	}
	if requests := r.requestsWith(andNow); len(requests) != 1 || requests[0].Messages < 10 {
		r.Errorf("the model was not told the conversation: %+v", requests)
	}
}

// messages returns the messages of a connection.
func (r *rig) messages(connection int) []message {
	r.Helper()
	all, err := understandAll(readRecords(r.T, r.path("wire"))[connection])
	if err != nil {
		r.Fatal(err)
	}
	return all
}

// answers returns the prompts of a connection in the order in which they were answered.
func (r *rig) answers(connection int) []string {
	r.Helper()
	prompts := map[string]string{}
	var order []string
	for _, m := range r.messages(connection) {
		if m.Method == "session/prompt" {
			prompts[string(m.ID)] = m.params.Prompt[0].Text
		} else if text, is := prompts[string(m.ID)]; is && m.isAnswer() && m.From == "agent" {
			order = append(order, text)
		}
	}
	return order
}

// transcript returns what a client has shown on one connection: the chunks of one text joined, and
// each call with its last state.
func (r *rig) transcript(connection int) []string {
	r.Helper()
	var lines []string
	calls := map[string]int{}
	add := func(role, text string) {
		if n := len(lines); n > 0 && role != "user" && strings.HasPrefix(lines[n-1], role+": ") {
			lines[n-1] += text
			return
		}
		lines = append(lines, role+": "+text)
	}
	for _, m := range r.messages(connection) {
		if m.Method == "session/prompt" {
			add("user", m.params.Prompt[0].Text)
		}
		switch u := m.params.Update; u.Kind {
		case "user_message_chunk":
			add("user", textOf(u.Content))
		case "agent_message_chunk":
			add("agent", textOf(u.Content))
		case "agent_thought_chunk":
			add("thought", textOf(u.Content))
		case "tool_call":
			calls[u.ToolCallID] = len(lines)
			lines = append(lines, "call "+u.ToolCallID+" "+u.Title)
		case "tool_call_update":
			if u.Status == "completed" || u.Status == "failed" {
				lines[calls[u.ToolCallID]] += " " + u.Status + " " + string(u.Content)
			}
		}
	}
	return lines
}

func textOf(content json.RawMessage) string {
	var block struct{ Text string }
	_ = json.Unmarshal(content, &block) // the schema has been checked
	return block.Text
}

func sdkSettings(r *rig) {
	const model = "openai/fake-mini"
	s := r.sdk("settings", model)
	set := s.until("the options", func(e event) bool { return e.Options != nil })
	if set.Options["model"] != model || set.Options["mode"] != "ask" {
		r.Errorf("options %v", set.Options)
	}
	s.answered("which model", "end_turn")
	s.answered(`[tool shell {"command":"echo unasked"}]`, "end_turn")
	s.refused("mode", invalidParams)
	s.refused("model", invalidParams)
	s.ended()
	if requests := r.requestsWith("which model"); len(requests) != 1 || requests[0].Model != "fake-mini" {
		r.Errorf("the model that answered is %+v", requests)
	}
	if slices.ContainsFunc(s.seen, func(e event) bool { return e.Permission != "" }) {
		r.Error("mode full asked for a permission")
	}
	kinds := map[string]int{}
	for _, m := range r.messages(0) {
		kinds[m.params.Update.Kind]++
	}
	if kinds["config_option_update"] != 2 || kinds["current_mode_update"] != 1 {
		r.Errorf("the client was told %v", kinds)
	}
}

func sdkShelf(r *rig) {
	s := r.sdk("shelf")
	s.answered("remember this", "end_turn")
	list := *s.until("the list", func(e event) bool { return e.Listed != nil }).Listed
	if len(list) != 1 || list[0].Title != "remember this" || list[0].Cwd != r.path("work") {
		r.Errorf("listed %+v", list)
	}
	s.answered("go on", "end_turn")
	if list := *s.until("the second list", func(e event) bool { return e.Listed != nil }).Listed; len(list) != 0 {
		r.Errorf("deleted, and listed: %+v", list)
	}
	s.refused("load", resourceNotFound)
	s.ended()
	if requests := r.requestsWith("go on"); len(requests) != 1 || requests[0].Messages != 4 {
		r.Errorf("after the resume the model was told %+v", requests)
	}
	if got := r.transcript(1); len(got) != 2 {
		r.Errorf("a resume shows nothing of the past, but: %q", got)
	}
}
