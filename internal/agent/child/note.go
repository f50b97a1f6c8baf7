package child

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
)

// mostTold is how much of what an agent had said it is told again.
const mostTold = 4000

// cutShort says what an agent has to know of a turn that did not come to its
// end: "" when the last one did. The history ends with the new prompt, which
// says so itself when the turn before it was cut short.
func cutShort(history []bellcord.Message, prompt string) string {
	last := len(history) - 1
	if last < 0 || history[last].Role != bellcord.RoleUser {
		return ""
	}
	note, cut := strings.CutSuffix(history[last].Text, prompt)
	note = strings.Trim(note, "[]\n ")
	if !cut || note == "" {
		return ""
	}
	var said []string
	var calls []string
	for i := last - 1; i >= 0 && history[i].Role != bellcord.RoleUser; i-- {
		switch m := history[i]; m.Role {
		case bellcord.RoleAssistant:
			if m.Text != "" {
				said = append([]string{m.Text}, said...)
			}
		case bellcord.RoleTool:
			calls = append([]string{m.Name + ": " + fate(m)}, calls...)
		case bellcord.RoleUser:
		}
	}
	if text := strings.Join(said, "\n"); text != "" {
		note += fmt.Sprintf(". Your answer so far: «%s»", shortened(text, mostTold))
	}
	if len(calls) > 0 {
		note += ". Your tool calls: " + strings.Join(calls, "; ")
	}
	return note
}

func fate(m bellcord.Message) string {
	switch {
	case strings.Contains(m.Text, "[not started"):
		return "not started"
	case strings.Contains(m.Text, "[stopped"):
		return "stopped while running, may have had effects"
	case strings.Contains(m.Text, "[outcome unknown"):
		return "outcome unknown"
	case m.Failed:
		return "failed"
	}
	return "finished"
}

// shortened keeps the end, which is where it was cut.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}

// mostConversation is how much of the conversation an agent that is new to it is
// told.
const mostConversation = 12_000

// soFar is the conversation before the last prompt, for an agent that was not
// there; its end, where it is long.
func soFar(history []bellcord.Message) string {
	var lines []string
	for _, m := range history[:max(len(history)-1, 0)] {
		switch m.Role {
		case bellcord.RoleUser:
			lines = append(lines, "User: "+m.Text)
		case bellcord.RoleAssistant:
			if m.Text != "" {
				lines = append(lines, "You: "+m.Text)
			}
		case bellcord.RoleTool:
			lines = append(lines, "Your tool "+m.Name+": "+fate(m))
		}
	}
	return shortened(strings.Join(lines, "\n"), mostConversation)
}
