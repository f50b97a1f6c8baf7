package child

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
)

// maxQuoted is the maximum length in bytes of the previous answer in a note.
const maxQuoted = 4000

// cutShort returns a note for the agent about the previous turn if that was cut
// short, otherwise "". The history ends with the new prompt. If the previous
// turn was cut short, the text of that message is the reason followed by the
// prompt.
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
	var texts []string
	var calls []string
	for i := last - 1; i >= 0 && history[i].Role != bellcord.RoleUser; i-- {
		switch m := history[i]; m.Role {
		case bellcord.RoleAssistant:
			if m.Text != "" {
				texts = append([]string{m.Text}, texts...)
			}
		case bellcord.RoleTool:
			calls = append([]string{m.Name + ": " + fate(m)}, calls...)
		case bellcord.RoleUser:
		}
	}
	if text := strings.Join(texts, "\n"); text != "" {
		note += fmt.Sprintf(". Your answer so far: «%s»", shortened(text, maxQuoted))
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

// shortened keeps the end of a text, which is where the answer was cut off.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}

// mostConversation is the maximum length in bytes of the conversation in a
// prompt.
const mostConversation = 12_000

// soFar returns the conversation before the last prompt, or its end if it is
// long.
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
