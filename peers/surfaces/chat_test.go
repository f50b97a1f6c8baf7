package surfaces_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

// telegram is Anna's chat with the bot.
type telegram struct {
	t    *testing.T
	gram *fakegram.Server
}

func (c *telegram) name() string { return "Telegram" }

func (c *telegram) prompt(text string) {
	c.t.Helper()
	if _, err := c.gram.Say(anna, anna, text); err != nil {
		c.t.Fatal(err)
	}
}

// pressStop presses Telegram's Stop button on a draft.
func (c *telegram) pressStop() {
	c.t.Helper()
	if err := c.gram.PressStop(anna); err != nil {
		c.t.Fatal(err)
	}
}

func (c *telegram) streams(turn) bool {
	d, live := c.gram.Chat(anna).Draft()
	return live && !d.Thinking && strings.Contains(d.Text, "word3")
}

// ending returns the last line of the message with buttons for the turn.
func (c *telegram) ending(t turn) string {
	for _, m := range c.gram.Chat(anna).Messages {
		if m.Markup == nil || len(m.Markup.Rows) == 0 {
			continue
		}
		for _, b := range m.Markup.Rows[0] {
			if strings.HasSuffix(b.Data, ":"+string(t.id)) {
				return m.Text[strings.LastIndex(m.Text, "\n")+1:]
			}
		}
	}
	return ""
}
