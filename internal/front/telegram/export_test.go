package telegram

import "github.com/bellcord/bellcord/internal/front/telegram/wire"

// Parse is parse, for the tests.
func Parse(text, bot string) (what, words string) {
	found, words := parse(text, bot)
	return string(found), words
}

// Addressed is addressed.
func Addressed(m *wire.Message, bot string) (string, bool) { return addressed(m, bot) }

// ChoiceLabels is choiceLabels for tests.
var ChoiceLabels = choiceLabels

// Distinct is distinct for tests.
var Distinct = distinct

// Count is count for tests.
var Count = plural
