package bellcord

import (
	"errors"
)

// ErrTurnEnded is returned for a write or an answer that arrives after the turn
// has ended.
var ErrTurnEnded = errors.New("the turn has ended")

// Errors returned by a hub.
var (
	ErrDraining = errors.New("shutting down, no new turns")
	ErrNotOpen  = errors.New("the session is not open")
)

// Errors of a hub that has reached its Admission limit. Only new prompts return
// them: existing turns can still be read, answered and stopped.
var (
	ErrTooManyTurns   = errors.New("the server is at its limit of turns: try again when some have ended")
	ErrTooManyOfOwner = errors.New("you are at your limit of turns: try again when some have ended, or stop some")
)

// ErrNoCall is returned for a stop of a single call that is not running, or that
// cannot be stopped alone.
var ErrNoCall = errors.New("no such running call that can be stopped alone")

// ErrNoQuestion is returned for an answer to a question that is not open,
// because it never existed or has already been answered.
var ErrNoQuestion = errors.New("no such open question")

// ErrAnswerScope is returned for an answer that needs a scope which the person who
// gives it lacks. The question stays open.
var ErrAnswerScope = errors.New("you can only reject this call: it would run without the sandbox, and only a person with the scope admin can allow that")

// ErrStarted is returned for a change to a turn that is no longer queued.
var ErrStarted = errors.New("the turn is no longer queued")

// Errors of undoing the changes of a turn. The changes are kept on the machine
// that has the session's directory.
var (
	ErrUndoOff     = errors.New(`undo is off: set mode = "on" under [undo] in the settings`)
	ErrNoChanges   = errors.New("no changes of this turn are kept here: it changed no file, its directory was moved or replaced since, it ran on another machine, or it is too old")
	ErrNoUndo      = errors.New("no such undo is kept here")
	ErrTurnRunning = errors.New("a turn of this session is running: stop it first")
	// ErrUndoExists is returned for an id that another request has used: of another
	// session, for other turns or for other paths.
	ErrUndoExists = errors.New("another undo in this directory has this id: use a new one")
	// ErrPathUnchanged is returned if the turn changed none of the named paths.
	ErrPathUnchanged = errors.New("the turn did not change this path")
)

// Errors of rewinding a conversation.
var (
	ErrNotInConversation = errors.New("the turn is not part of the conversation: it did not start, or the conversation was cleared or rewound since")
	ErrNoRewind          = errors.New("the conversation was not rewound")
)

// ErrStoreDown is returned for prompts and new sessions while commits fail. A
// refused request is not carried out later.
var ErrStoreDown = errors.New("the store is unavailable")

// ErrWithdrawn is the result of an op that was withdrawn before it was
// committed. The op had no effect and will not have one.
var ErrWithdrawn = errors.New("withdrawn before it was committed")

// ErrClosed is returned by a log that has been closed.
var ErrClosed = errors.New("the log is closed")

// ErrDamaged means that events of a session are missing from the store or
// cannot be decoded. Readers get this error instead of a log with a gap.
var ErrDamaged = errors.New(`the store is damaged: run "bellcord store check", and restore a backup`)

// Errors returned by a store.
var (
	ErrNoSession  = errors.New("no such session")
	ErrNoTurn     = errors.New("no such turn")
	ErrTurnExists = errors.New("a turn with this id already exists")
	ErrBusy       = errors.New("another turn of the session is running")
	// ErrRejected is the result of an op with a value that cannot be stored, such
	// as a name that is too long. The op had no effect, and has none if it is
	// committed again.
	ErrRejected = errors.New("a value of the request cannot be stored")
	// ErrStoreLost means that the store's files were deleted or replaced while
	// this process had them open. Later writes would be lost silently.
	ErrStoreLost = errors.New("the store's files were deleted or replaced while in use; put them back, or restart and restore a backup")
	// ErrUnknown means that a commit may or may not have taken effect.
	ErrUnknown = errors.New("outcome unknown: retry with the same id, or query the turn")
)
