// Package chat is the interactive front for terminals: streaming answers,
// running tools, the queue, questions, and a stop that is shown immediately.
//
// A Model is pure: it takes events of the log, keys and the time, and returns
// screen lines and actions. It has no access to a terminal and never blocks.
// Runner runs the actions on a Hub, wherever turns run. All text on a screen
// is made harmless: no text of a model, a tool or another person can control
// the terminal. Package tty draws the screen on a terminal; Plain works without
// redrawing.
package chat

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// Hub gives access to turns, in this process or on a server. Its methods may
// block and may be called concurrently.
type Hub interface {
	prompter
	queueEditor
	sessionEditor
	sessionFinder
	lister
	fileFinder
	changeFinder
	rewinder
	logReader
}

type (
	prompter interface {
		// Prompt returns when the turn has been recorded.
		Prompt(ctx context.Context, session bellcord.SessionID, p Prompt) error
		// Stop stops a turn or, if none is named, everything that the session
		// runs.
		Stop(ctx context.Context, s Stop) error
		Answer(ctx context.Context, turn bellcord.TurnID, question string, r bellcord.Reply) error
	}
	queueEditor interface {
		Edit(ctx context.Context, turn bellcord.TurnID, text string) error
		MoveToFront(ctx context.Context, turn bellcord.TurnID) error
	}
	sessionEditor interface {
		// NewSession creates a session with the given agent, model and mode;
		// empty values select the defaults.
		NewSession(ctx context.Context, like bellcord.Session) (bellcord.Session, error)
		// Check returns an error if no session can be created with these
		// settings.
		Check(ctx context.Context, like bellcord.Session) error
		Change(ctx context.Context, session bellcord.SessionID, to bellcord.SessionUpdated) (bellcord.Session, error)
		Clear(ctx context.Context, session bellcord.SessionID) error
		Rename(ctx context.Context, session bellcord.SessionID, title string) error
		// Delete stops the turns of a session and deletes its history. Files in
		// its directory stay.
		Delete(ctx context.Context, session bellcord.SessionID) error
	}
	sessionFinder interface {
		// Find returns the session with an id that begins or ends with word.
		Find(ctx context.Context, word string) (bellcord.Session, error)
		Sessions(ctx context.Context) ([]Listed, error)
		// Search returns the sessions with all words of a query in their title,
		// prompts, answers or directory.
		Search(ctx context.Context, query string) ([]Found, error)
	}
	lister interface {
		Spent(ctx context.Context, session bellcord.SessionID) ([]bellcord.ModelUsage, error)
		Models(ctx context.Context) ([]string, error)
		Agents(ctx context.Context) ([]string, error)
	}
	fileFinder interface {
		// Files returns up to limit files of a directory that match a query, the
		// best first, and the number of all its files.
		Files(ctx context.Context, dir, query string, limit int) (found []string, all int, err error)
	}
	changeFinder interface {
		// Undoable returns what an undo and a redo mean in a session.
		Undoable(ctx context.Context, session bellcord.SessionID) (bellcord.Undoable, error)
		Changes(ctx context.Context, turn bellcord.TurnID) (bellcord.Changes, error)
		// Texts returns the changes of a turn to text files, of all paths or of
		// one.
		Texts(ctx context.Context, turn bellcord.TurnID, path string) ([]bellcord.Change, error)
		Undo(ctx context.Context, q bellcord.UndoRequest) (bellcord.Undone, error)
	}
	rewinder interface {
		// Rewind continues the conversation as it was before a turn, or without
		// a turn takes the last rewind back.
		Rewind(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) (bellcord.ConversationRewound, error)
	}
	logReader interface {
		// Events returns the session's log from its beginning, and a function
		// that releases it. lost is called when the log is unreachable for a
		// while.
		Events(ctx context.Context, session bellcord.SessionID, lost func(error)) (line.Source, func(), error)
	}
)

// Action is an operation that a user requests. The set is closed.
type Action interface {
	do(ctx context.Context, e *Runner) Report
	// inOrder reports whether the action must wait for earlier ones. A stop and
	// an answer never wait.
	inOrder() bool
}

// The actions.
type (
	// Prompt sends a prompt. If the session does not exist yet, it is created;
	// all prompts of a draft share the session.
	Prompt struct {
		Session bellcord.Session
		Draft   int
		Turn    bellcord.TurnID
		Task    bellcord.Task
		Text    string
		Images  []bellcord.Image
		// Files, Links and Blocks are those of a queued prompt that is sent again.
		Files  []bellcord.File
		Links  []bellcord.Link
		Blocks []bellcord.Block
		// ImageFiles are paths of images to attach, as far as they exist.
		ImageFiles []string
	}
	// Stop stops a turn, or everything that a session runs.
	Stop struct {
		Turn    bellcord.TurnID
		Session bellcord.SessionID
		Mode    bellcord.StopMode
		Queue   bellcord.QueueAction
	}
	// Answer sends the user's answer to a question.
	Answer struct {
		Turn     bellcord.TurnID
		Question string
		Reply    bellcord.Reply
	}
	// Edit changes a queued prompt.
	Edit struct {
		Turn bellcord.TurnID
		Text string
	}
	// Send runs a queued prompt before the others.
	Send struct{ Turn bellcord.TurnID }
	// Clear starts a new conversation in the session.
	Clear struct{ Session bellcord.SessionID }
	// Change changes the session's model or mode.
	Change struct {
		Session bellcord.SessionID // "" if it is not created yet
		Agent   string             // the session's agent
		To      bellcord.SessionUpdated
	}
	// Rename changes the title of a session.
	Rename struct {
		Session bellcord.SessionID
		Title   string
	}
	// Delete deletes a session.
	Delete struct{ Session bellcord.SessionID }
	// Open shows another session: the one with an id that begins or ends with
	// Session.
	Open struct{ Session string }
	// Begin checks the settings of a session that is created with its first
	// prompt.
	Begin struct{ Like bellcord.Session }
	// ShowList requests a list to show.
	ShowList struct {
		At      Sight
		Session bellcord.SessionID
	}
	// Search requests the sessions that contain words.
	Search struct{ Query string }
	// FindFiles requests the files that match a query.
	FindFiles struct{ Dir, Query string }
	// Remember keeps a prompt for later sessions of the project.
	Remember struct{ Text string }
	// EditInput opens the input in the user's editor.
	EditInput struct{ Text string }
	// Redraw draws the whole screen again.
	Redraw struct{}
	// Leave ends the front.
	Leave struct{}
)

// Sight is a list that can be shown.
type Sight string

// The lists that can be shown.
const (
	AtSessions Sight = "sessions"
	AtModels   Sight = "models"
	AtAgents   Sight = "agents"
	AtCost     Sight = "cost"
)

// Report is the result of an action.
type Report struct {
	Of       Action
	Err      error
	Text     string            // shown to the user
	Session  *bellcord.Session // its current state
	Sessions []Listed          // to choose from
	Found    []Found           // sessions that contain the words of a query
	Files    []string          // that match a query, the best first
	AllFiles int               // number of files of the directory
	Image    *bellcord.Image   // to attach
	Diff     []bellcord.Change // changed texts to show
	Preview  *Preview          // of an undo, to confirm
}
