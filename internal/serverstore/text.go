package serverstore

import (
	"context"

	"github.com/bellcord/bellcord"
)

// TextReader is implemented by a Store that can read the prompts and answers of
// a session without its other events, which can be much larger. Searches use
// it.
type TextReader interface {
	// TextEvents returns up to limit events of the kinds in TextKinds that a
	// session has, the last ones, in order.
	TextEvents(ctx context.Context, session bellcord.SessionID, limit int) ([]bellcord.Event, error)
}

// TextKinds lists the kinds of the events with the text of prompts and answers.
func TextKinds() []string {
	return []string{
		bellcord.TurnAccepted{}.Kind(), bellcord.PromptEdited{}.Kind(), bellcord.MessageImported{}.Kind(), bellcord.TextDelta{}.Kind(),
	}
}
