package telegram

import "github.com/bellcord/bellcord/internal/front/telegram/wire"

// Parse exports parse.
func Parse(text, bot string) (what, words string) {
	found, words := parse(text, bot)
	return string(found), words
}

// Addressed exports addressed.
func Addressed(m *wire.Message, bot string) (string, bool) { return addressed(m, bot) }

// ChoiceLabels exports choiceLabels.
var ChoiceLabels = choiceLabels

// Distinct exports distinct.
var Distinct = distinct
