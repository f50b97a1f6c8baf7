// Package sessionid shortens session IDs for display and resolves a short form
// to a session or turn. The whole program uses this one rule.
package sessionid

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
)

// shown is the length of a shortened ID.
const shown = 8

// Short returns the end of an ID after an ellipsis. The start of an ID is a
// timestamp, which sessions of the same minute share.
func Short(id bellcord.SessionID) string { return short(string(id)) }

// ShortTurn is Short for the ID of a turn.
func ShortTurn(id bellcord.TurnID) string { return short(string(id)) }

func short(id string) string {
	if len(id) <= shown {
		return id
	}
	return "…" + id[len(id)-shown:]
}

// UnknownError means that no ID begins or ends with Word. It wraps
// bellcord.ErrNoSession or bellcord.ErrNoTurn.
type UnknownError struct {
	Word string
	none error
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("%v: no id begins or ends with %s", e.none, e.Word)
}

// Unwrap returns bellcord.ErrNoSession or bellcord.ErrNoTurn.
func (e *UnknownError) Unwrap() error { return e.none }

// AmbiguousError means that several IDs begin or end with Word.
type AmbiguousError struct {
	Word    string
	Matches int
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s is ambiguous: %d ids begin or end with it", e.Word, e.Matches)
}

// Resolve returns the one ID that begins or ends with word, ignoring case. An
// exact match takes precedence. word may be in the form that Short returns. The
// error is an *UnknownError or an *AmbiguousError.
func Resolve(word string, ids []bellcord.SessionID) (bellcord.SessionID, error) {
	return resolve(word, ids, bellcord.ErrNoSession)
}

// ResolveTurn resolves a turn ID with the rules of Resolve.
func ResolveTurn(word string, ids []bellcord.TurnID) (bellcord.TurnID, error) {
	return resolve(word, ids, bellcord.ErrNoTurn)
}

// Part returns the beginning or the end of an ID that word, which may be in the
// form that Short returns, stands for. It is in lower case.
func Part(word string) string {
	return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(word), "…"))
}

func resolve[ID ~string](word string, ids []ID, none error) (ID, error) {
	part := Part(word)
	if part == "" {
		return "", &UnknownError{Word: `""`, none: none}
	}
	var found []ID
	for _, id := range ids {
		lower := strings.ToLower(string(id))
		if lower == part {
			return id, nil
		}
		if strings.HasPrefix(lower, part) || strings.HasSuffix(lower, part) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", &UnknownError{Word: word, none: none}
	case 1:
		return found[0], nil
	}
	return "", &AmbiguousError{Word: word, Matches: len(found)}
}
