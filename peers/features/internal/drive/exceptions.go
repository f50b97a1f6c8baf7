package drive

import "slices"

// Exception is a feature, or a part of it, that is absent behind Bellcord on purpose.
type Exception struct {
	Feature string   // a row of the table
	Agents  []string // nil for every agent
	Items   []string // which parts may be missing; nil for the whole feature
	Reason  string
}

const inTerminal = "commands run in terminals of Bellcord, where the agent does not send it; nor does it bare in a terminal of the editor."

// Exceptions are printed below the table. A loss that is not listed fails the run.
var Exceptions = []Exception{
	{"terminals of the editor", nil, nil, "commands run in terminals of Bellcord, which contains them and proves their end; the editor displays them."},
	{"terminals displayed", []string{"goose", "kimi"}, nil, "this editor runs terminals, but does not display those of an agent (`terminal_output`), so it gets their output as text; `terminals = \"editor\"` uses the editor's."},
	{"rawOutput", []string{"goose", "kimi"}, []string{"shell"}, inTerminal},
	{"_meta of updates", []string{"goose"}, []string{"tool_call_update._meta.toolNotification"}, inTerminal},
	{"_meta of updates", []string{"qwen"}, []string{
		"agent_thought_chunk._meta.qwenTranscript", "agent_thought_chunk._meta.timestamp", "tool_call._meta.qwenTranscript", "tool_call._meta.timestamp",
		"tool_call_update._meta.qwenTranscript", "tool_call_update._meta.timestamp",
		"user_message_chunk._meta.backgroundTask", "user_message_chunk._meta.backgroundTurn", "user_message_chunk._meta.qwenDiscreteMessage", "user_message_chunk._meta.source",
		"agent_message_chunk._meta.backgroundTurn", "agent_message_chunk._meta.backgroundTask", "agent_message_chunk._meta.qwenDiscreteMessage",
	}, "the agent sends it only when it replays a conversation from its own files, and with text while no turn runs. Bellcord replays a conversation from its log, and a conversation that it imports with what the agent sends."},
	{"other requests and notifications", []string{"qwen"}, []string{"_qwencode/start_turn", "_qwencode/end_turn"}, "the agent sends them when a task in the background ends, which can be after the end of the drive."},
}

// Excused returns the reason for a loss, or "". Missing are the parts that are lost; nil is the
// whole feature.
func Excused(feature, agent string, missing []string) string {
	for _, e := range Exceptions {
		if e.Feature != feature || e.Agents != nil && !slices.Contains(e.Agents, agent) {
			continue
		}
		if e.Items == nil || missing != nil && !slices.ContainsFunc(missing, func(item string) bool { return !slices.Contains(e.Items, item) }) {
			return e.Reason
		}
	}
	return ""
}
