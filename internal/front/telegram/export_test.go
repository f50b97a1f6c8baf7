package telegram

import (
	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// Parse returns what the core understands of a message, or "-" if it is for another
// bot.
func Parse(text, bot string) (what, words string) {
	text, forBot := withoutName(text, bot)
	if !forBot {
		return "-", ""
	}
	found, words := chats.Parse(text)
	return string(found), words
}

// Addressed exports addressed.
func Addressed(m *wire.Message, bot string) (string, bool) { return addressed(m, bot) }

// Render exports render.
var Render = render
