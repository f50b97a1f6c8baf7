package api

import (
	"net/http"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// TypePrefix is the beginning of the type of every problem.
const TypePrefix = "urn:bellcord:"

// Failure is an error that a response reports: its status, and the end of its problem
// type.
type Failure struct {
	Err    error
	Status int
	Type   string
}

// Failures returns the errors that a client can recognize in a response. Two errors
// with the same type are the same to a client.
func Failures() []Failure {
	return []Failure{
		{bellcord.ErrNoSession, http.StatusNotFound, "session-not-found"},
		{bellcord.ErrNoTurn, http.StatusNotFound, "turn-not-found"},
		{bellcord.ErrNoQuestion, http.StatusNotFound, "question-not-found"},
		{bellcord.ErrTurnEnded, http.StatusConflict, "turn-ended"},
		{bellcord.ErrStarted, http.StatusConflict, "turn-started"},
		{bellcord.ErrBusy, http.StatusConflict, "session-busy"},
		{bellcord.ErrTurnExists, http.StatusConflict, "turn-exists"},
		{bellcord.ErrTurnRunning, http.StatusConflict, "turn-running"},
		{bellcord.ErrNotInConversation, http.StatusConflict, "turn-not-in-conversation"},
		{bellcord.ErrNoRewind, http.StatusConflict, "not-rewound"},
		{bellcord.ErrNoChanges, http.StatusNotFound, "changes-not-found"},
		{bellcord.ErrNoUndo, http.StatusNotFound, "undo-not-found"},
		{bellcord.ErrUndoExists, http.StatusConflict, "undo-exists"},
		{bellcord.ErrPathUnchanged, http.StatusUnprocessableEntity, "path-unchanged"},
		{bellcord.ErrUndoOff, http.StatusConflict, "undo-off"},
		{bellcord.ErrDraining, http.StatusServiceUnavailable, "shutting-down"},
		{bellcord.ErrClosed, http.StatusServiceUnavailable, "shutting-down"},
		{bellcord.ErrRejected, http.StatusUnprocessableEntity, "value-rejected"},
		{bellcord.ErrStoreDown, http.StatusServiceUnavailable, "store-unavailable"},
		{store.ErrFenced, http.StatusServiceUnavailable, "fenced"},
		{bellcord.ErrDamaged, http.StatusInternalServerError, "store-damaged"},
		{bellcord.ErrUnknown, http.StatusGatewayTimeout, "outcome-unknown"},
		{bellcord.ErrPromptTooLong, http.StatusRequestEntityTooLarge, "too-large"},
		{bellcord.ErrTooManyTurns, http.StatusServiceUnavailable, "overloaded"},
		{bellcord.ErrTooManyOfOwner, http.StatusTooManyRequests, "too-many"},
	}
}
