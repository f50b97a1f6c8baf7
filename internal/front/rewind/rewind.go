// Package rewind decides for every front what /rewind means, and has its words. It
// also decides whether /undo names a turn.
package rewind

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/sessionid"
)

// Back is the word after /rewind that takes the last rewind back.
const Back = "back"

// The words of lists and results.
const (
	Nothing   = "The conversation has no turn to rewind to."
	Title     = "The turns of this conversation:"
	Usage     = "/rewind TURN continues the conversation as it was before that turn. Files stay as they are: /undo is for those."
	TakesBack = "/rewind back takes the last rewind back."
)

// Request is what /rewind requests. The zero value requests the list of turns.
type Request struct {
	Turn bellcord.TurnID
	Back bool
}

// Parse returns what the text after /rewind requests. A turn may be named by a part
// of its id; it must be part of the conversation.
func Parse(rest string, turns *history.Turns) (Request, error) {
	word := strings.TrimSpace(rest)
	switch {
	case word == "":
		return Request{}, nil
	case strings.EqualFold(word, Back):
		return Request{Back: true}, nil
	case strings.ContainsAny(word, " \t\n"):
		return Request{}, errors.New("use /rewind, /rewind TURN or /rewind back")
	}
	turn, err := sessionid.ResolveTurn(word, ids(turns.Conversation()))
	if errors.Is(err, bellcord.ErrNoTurn) {
		if _, found := sessionid.ResolveTurn(word, ids(turns.Started())); found == nil {
			err = bellcord.ErrNotInConversation
		}
	}
	return Request{Turn: turn}, err
}

// Row is a turn in a list: the short form of its id, and its first words.
type Row struct {
	Turn      bellcord.TurnID
	ID, Words string
}

// Rows returns the last turns of the conversation, at most most of them, the oldest
// first.
func Rows(turns *history.Turns, most int) []Row {
	all := turns.Conversation()
	var rows []Row
	for _, t := range all[max(0, len(all)-most):] {
		rows = append(rows, Row{t.ID, sessionid.ShortTurn(t.ID), words(t)})
	}
	return rows
}

func words(t history.Turn) string {
	switch {
	case t.Task == bellcord.TaskCompact:
		return "(a summary of the conversation)"
	case t.Task == bellcord.TaskImport:
		return "(the agent's earlier conversation)"
	case t.Words == "":
		return "(no text)"
	}
	return t.Words
}

// Done describes a rewind that was carried out.
func Done(r bellcord.ConversationRewound) string {
	text := r.Text()
	return strings.ToUpper(text[:1]) + text[1:] + ". " + After(r)
}

// After returns what a person should know after a rewind.
func After(r bellcord.ConversationRewound) string {
	if r.TakenBack {
		return "Files stay as they are."
	}
	return "Files stay as they are. " + TakesBack
}

// shortest is how many characters of an id a word must have to name a turn to
// undo. A shorter word is a path.
const shortest = 4

// SplitTurn returns the turn that the first of the words after /undo names, and the
// remaining words, which are paths. The first word names a turn if it has at least
// four characters and is the beginning or the end of the id of one. It returns an
// error if that is true for several turns; a path can be written with ./ before it.
func SplitTurn(all []string, turns []history.Turn) (bellcord.TurnID, []string, error) {
	if len(all) == 0 || len(sessionid.Part(all[0])) < shortest {
		return "", all, nil
	}
	turn, err := sessionid.ResolveTurn(all[0], ids(turns))
	switch {
	case err == nil:
		return turn, all[1:], nil
	case errors.Is(err, bellcord.ErrNoTurn):
		return "", all, nil
	}
	return "", nil, fmt.Errorf("%w; write ./%s for a path", err, all[0])
}

func ids(turns []history.Turn) []bellcord.TurnID {
	all := make([]bellcord.TurnID, len(turns))
	for i, t := range turns {
		all[i] = t.ID
	}
	return all
}
