// Package chat is a conversation in a terminal: the answer as it streams, tools as
// they work, the queue, questions, and a stop that is said at once.
//
// A Model is pure: events of the log, keys and the time go in, the lines of a
// screen and actions come out. It knows no terminal and waits for nothing. Errands
// carry its actions out, wherever turns run. What goes on a screen has been made
// harmless for a terminal: no text of a model, a tool or another person can steer
// one. The terminal itself is in the room tty; Plain does without one.
package chat

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// Hub is where turns run: in this process, or at a server. Its methods may wait
// and may be called at the same time.
type Hub interface {
	prompter
	queueEditor
	sessionEditor
	sessionFinder
	lister
	logReader
}

type (
	prompter interface {
		// Prompt returns when the turn is on record.
		Prompt(ctx context.Context, session bellcord.SessionID, p Prompt) error
		// Stop stops a turn, or where none is named what the session runs.
		Stop(ctx context.Context, s Stop) error
		Answer(ctx context.Context, turn bellcord.TurnID, question, choice string) error
	}
	queueEditor interface {
		Edit(ctx context.Context, turn bellcord.TurnID, text string) error
		Send(ctx context.Context, turn bellcord.TurnID) error
	}
	sessionEditor interface {
		// NewSession makes one with the given agent, model and mode, the usual ones
		// where they are empty.
		NewSession(ctx context.Context, like bellcord.Session) (bellcord.Session, error)
		// Check reports what is wrong with the settings of a session that is to be made.
		Check(ctx context.Context, like bellcord.Session) error
		Change(ctx context.Context, session bellcord.SessionID, to bellcord.SessionUpdated) (bellcord.Session, error)
		Clear(ctx context.Context, session bellcord.SessionID) error
	}
	sessionFinder interface {
		// Find returns the session whose id begins or ends with the word.
		Find(ctx context.Context, word string) (bellcord.Session, error)
		Sessions(ctx context.Context) ([]bellcord.Session, error)
	}
	lister interface {
		Spent(ctx context.Context, session bellcord.SessionID) ([]bellcord.ModelUsage, error)
		Models(ctx context.Context) ([]string, error)
		Agents(ctx context.Context) ([]string, error)
	}
	logReader interface {
		// Events is the session's log from its beginning; lost is told when it is out
		// of reach for a while. The function lets go of it.
		Events(ctx context.Context, session bellcord.SessionID, lost func(error)) (line.Source, func(), error)
	}
)

// Action is something that a person wants done. The set is closed.
type Action interface {
	do(ctx context.Context, e *Errands) Report
	// inOrder says that it must not overtake what was wanted before. A stop and an
	// answer wait for nothing.
	inOrder() bool
}

// The actions.
type (
	// Prompt hands over a prompt. Where there is no session yet, one is made, the
	// same one for all prompts of a draft.
	Prompt struct {
		Session bellcord.Session
		Draft   int
		Turn    bellcord.TurnID
		Task    bellcord.Task
		Text    string
	}
	// Stop stops a turn, or what a session runs.
	Stop struct {
		Turn    bellcord.TurnID
		Session bellcord.SessionID
		Mode    bellcord.StopMode
		Queue   bellcord.QueueAction
	}
	// Answer gives a person's choice to a question.
	Answer struct {
		Turn             bellcord.TurnID
		Question, Choice string
	}
	// Edit changes a prompt that waits.
	Edit struct {
		Turn bellcord.TurnID
		Text string
	}
	// Send lets a prompt that waits run before the others.
	Send struct{ Turn bellcord.TurnID }
	// Clear starts the conversation anew.
	Clear struct{ Session bellcord.SessionID }
	// Change changes the session's model or mode.
	Change struct {
		Session bellcord.SessionID // "" for one that is not made yet
		Agent   string             // of the session
		To      bellcord.SessionUpdated
	}
	// Open shows another session: the one whose id begins or ends with the word.
	Open struct{ Session string }
	// Begin checks the settings of a session that is made with its first prompt.
	Begin struct{ Like bellcord.Session }
	// Look asks for a list to show.
	Look struct {
		At      Sight
		Session bellcord.SessionID
	}
	// Leave ends the front.
	Leave struct{}
)

// Sight is what can be looked at.
type Sight string

// The sights.
const (
	AtSessions Sight = "sessions"
	AtModels   Sight = "models"
	AtAgents   Sight = "agents"
	AtCost     Sight = "cost"
)

// Report is what became of an action.
type Report struct {
	Of       Action
	Err      error
	Text     string             // to be shown
	Session  *bellcord.Session  // as it is now
	Sessions []bellcord.Session // to choose from
}
