// Package sessionid shortens session ids for people and finds the session or turn
// that a short form means. One rule serves the whole program.
package sessionid

import (
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
)

// shown is how many characters of an id are shown where a whole one is too long.
const shown = 8

// Short returns the end of an id, with a sign that something is left out. The
// beginning of an id is a clock: sessions of one minute share it.
func Short(id bellcord.SessionID) string {
	if len(id) <= shown {
		return string(id)
	}
	return "…" + string(id[len(id)-shown:])
}

// UnknownError reports a word that no id begins or ends with. It is a
// bellcord.ErrNoSession or a bellcord.ErrNoTurn.
type UnknownError struct {
	Word string
	none error
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%v: no id begins or ends with %s", e.none, e.Word)
}

// Unwrap returns bellcord.ErrNoSession or bellcord.ErrNoTurn.
func (e *UnknownError) Unwrap() error { return e.none }

// AmbiguousError reports a word that several ids begin or end with.
type AmbiguousError struct {
	Word    string
	Matches int
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s is ambiguous: %d ids begin or end with it", e.Word, e.Matches)
}

// Resolve returns the one id that begins or ends with word, ignoring case. An id
// that equals word wins. A word as Short returns it is understood. The error is
// an *UnknownError or an *AmbiguousError.
func Resolve(word string, ids []bellcord.SessionID) (bellcord.SessionID, error) {
	return resolve(word, ids, bellcord.ErrNoSession)
}

// ResolveTurn is Resolve for turns.
func ResolveTurn(word string, ids []bellcord.TurnID) (bellcord.TurnID, error) {
	return resolve(word, ids, bellcord.ErrNoTurn)
}

func resolve[ID ~string](word string, ids []ID, none error) (ID, error) {
	part := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(word), "…"))
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
