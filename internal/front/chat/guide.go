package chat

import "github.com/bellcord/bellcord"

// Guide leads a user through a conversation, as in bellcord try. It reads what
// happens and returns the next instruction. While a model has one, a single
// Ctrl-C leaves.
type Guide interface {
	// Start returns the first instruction.
	Start() Guidance
	// Read returns the instruction after an event of the session's log.
	Read(ev bellcord.Event) Guidance
	// Command returns the instruction after a command, such as "receipt".
	Command(name string) Guidance
}

// Guidance is an instruction. The zero value changes nothing.
type Guidance struct {
	Text   string   // shown in the conversation
	Do     string   // shown above the input until the next instruction
	Prompt string   // put into the input if that is empty
	Keys   []string // that follow the instruction, for a program that plays the user
}

// Guidance returns the current instruction.
func (m *Model) Guidance() Guidance { return m.guidance }

// follow shows an instruction.
func (m *Model) follow(g Guidance) {
	if g.Do == "" {
		return
	}
	m.guidance = g
	if g.Text != "" {
		m.story.blocks.addBlock(&guideText{g.Text}, m.now)
		m.announce(g.Text)
	}
	if g.Prompt != "" && m.input.empty() {
		m.input.set(g.Prompt)
		m.input.menu.closed = g.Prompt // the input is complete
	}
}

// guideText is an instruction in the conversation.
type guideText struct{ text string }

func (g *guideText) fixed() bool { return true }

func (g *guideText) lines(width int, _ bool) []string {
	return append([]string{""}, wrap(styled(cyan, harmless(g.text)), width)...)
}
