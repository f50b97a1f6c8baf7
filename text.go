package bellcord

import "context"

// TextReader is implemented by a Store that can read the prompts and answers of
// a session without its other events, which can be much larger. Searches use
// it.
type TextReader interface {
	// TextEvents returns up to limit events of the kinds in TextKinds that a
	// session has, the last ones, in order.
	TextEvents(ctx context.Context, session SessionID, limit int) ([]Event, error)
}

// TextKinds lists the kinds of the events with the text of prompts and answers.
func TextKinds() []string {
	return []string{
		TurnAccepted{}.Kind(), PromptEdited{}.Kind(), MessageImported{}.Kind(), TextDelta{}.Kind(),
	}
}
