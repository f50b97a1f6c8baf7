package cluster

import (
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// codes are the errors that are preserved between nodes, with the codes that
// represent them in a reply. Nodes may have different versions: the text of an
// error may change, its code must not.
var codes = []struct {
	code string
	err  error
}{
	{"session-not-found", bellcord.ErrNoSession},
	{"turn-not-found", bellcord.ErrNoTurn},
	{"turn-exists", bellcord.ErrTurnExists},
	{"session-busy", bellcord.ErrBusy},
	{"fenced", store.ErrFenced},
	{"shutting-down", bellcord.ErrDraining},
	{"session-not-open", bellcord.ErrNotOpen},
	{"turn-started", bellcord.ErrStarted},
	{"turn-ended", bellcord.ErrTurnEnded},
	{"question-not-found", bellcord.ErrNoQuestion},
	{"answer-scope", bellcord.ErrAnswerScope},
	{"call-not-found", bellcord.ErrNoCall},
	{"not-rewound", bellcord.ErrNoRewind},
	{"turn-not-in-conversation", bellcord.ErrNotInConversation},
	{"value-rejected", bellcord.ErrRejected},
	{"closed", bellcord.ErrClosed},
	{"outcome-unknown", bellcord.ErrUnknown},
	{"store-unavailable", bellcord.ErrStoreDown},
	{"prompt-too-long", bellcord.ErrPromptTooLong},
	{"changes-not-found", bellcord.ErrNoChanges},
	{"undo-not-found", bellcord.ErrNoUndo},
	{"undo-exists", bellcord.ErrUndoExists},
	{"path-unchanged", bellcord.ErrPathUnchanged},
	{"undo-off", bellcord.ErrUndoOff},
	{"turn-running", bellcord.ErrTurnRunning},
	{"too-many-turns", bellcord.ErrTooManyTurns},
	{"too-many-turns-of-owner", bellcord.ErrTooManyOfOwner},
}

// invalidReply is the code of a *bellcord.InvalidReplyError, whose text names the
// field.
const invalidReply = "answer-invalid"

// codeOf returns the code and the text of an error for a reply. The code is ""
// for an error that is not in codes.
func codeOf(err error) (code, text string) {
	if err == nil {
		return "", ""
	}
	var invalid *bellcord.InvalidReplyError
	if errors.As(err, &invalid) {
		return invalidReply, invalid.Text
	}
	for _, entry := range codes {
		if errors.Is(err, entry.err) {
			return entry.code, entry.err.Error()
		}
	}
	return "", err.Error()
}

// errorOf returns the error of a reply: the one with the code in codes, or one
// that only has the text.
func errorOf(code, text string) error {
	if code == invalidReply {
		return &bellcord.InvalidReplyError{Text: text}
	}
	for _, entry := range codes {
		if code == entry.code {
			return entry.err
		}
	}
	switch {
	case text != "":
		return errors.New(text)
	case code != "":
		return errors.New(code)
	}
	return nil
}
