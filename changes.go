package bellcord

import (
	"fmt"
	"strings"
	"time"
)

// MostListedFiles is how many files a receipt and an event list. Counts include
// the others.
const MostListedFiles = 200

// Changes lists what a turn changed in the session's directory. Directories are
// listed but not counted.
type Changes struct {
	// Pending means that the files are still being compared. A ChangesRecorded
	// event follows.
	Pending bool `json:"pending,omitempty"`
	Created int  `json:"created,omitempty"`
	Changed int  `json:"changed,omitempty"`
	Deleted int  `json:"deleted,omitempty"`
	NotKept int  `json:"not_kept,omitempty"` // how many of these cannot be undone
	// Files are the changes, by path; at most MostListedFiles.
	Files []FileChange `json:"files,omitempty"`
	More  int          `json:"more,omitempty"` // how many changes Files does not list
	// Gaps are directories that were not compared. Changes in them are unknown.
	Gaps []FileGap `json:"gaps,omitempty"`
	// Problem describes why changes are missing from the list, or is empty.
	Problem string `json:"problem,omitempty"`
}

// FileChange is a path that a turn changed.
type FileChange struct {
	// Path is relative to the session's directory, with slashes. Bytes that are
	// not UTF-8 are replaced.
	Path      string         `json:"path"`
	Kind      FileChangeKind `json:"kind" enum:"created,changed,deleted"`
	Directory bool           `json:"directory,omitempty"`
	Certainty Certainty      `json:"certainty" enum:"own,during,found,disputed,loose"`
	NotKept   string         `json:"not_kept,omitempty"` // why the change cannot be undone; empty if it can
}

// FileGap is a directory that was not compared.
type FileGap struct {
	Path   string `json:"path"` // relative to the session's directory; empty for all of it; absolute outside of it
	Reason string `json:"reason"`
}

// FileChangeKind is what happened to a path.
type FileChangeKind string

// The kinds of changes.
const (
	FileCreated FileChangeKind = "created"
	FileChanged FileChangeKind = "changed"
	FileDeleted FileChangeKind = "deleted"
)

// Certainty describes how certain it is that a turn made a change.
type Certainty string

// The certainties. Without a confirmation, an undo changes only paths with
// ChangeOwn.
const (
	ChangeOwn      Certainty = "own"      // a tool named the path before it changed it
	ChangeDuring   Certainty = "during"   // the path changed while a call was running
	ChangeFound    Certainty = "found"    // as during, but the process that ran the turn has died
	ChangeDisputed Certainty = "disputed" // calls of several sessions were running when the path changed
	ChangeLoose    Certainty = "loose"    // the path changed between calls, while background processes of the session were running
)

// IsEmpty reports whether nothing is known to have changed. Pending changes are
// not known.
func (c Changes) IsEmpty() bool {
	return len(c.Files) == 0 && len(c.Gaps) == 0 && c.Problem == ""
}

// Text describes the changes for people, for example "3 changed, 1 created, not
// kept 2". It is empty if nothing is known to have changed.
func (c Changes) Text() string {
	var parts []string
	for _, p := range []struct {
		n    int
		text string
	}{{c.Changed, "changed"}, {c.Created, "created"}, {c.Deleted, "deleted"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	if len(parts) == 0 && len(c.Files) > 0 {
		parts = append(parts, "only directories")
	}
	if c.NotKept > 0 {
		parts = append(parts, fmt.Sprintf("not kept %d", c.NotKept))
	}
	if len(c.Gaps) > 0 || c.Problem != "" {
		parts = append(parts, "incomplete")
	}
	if c.Pending {
		parts = append(parts, "pending")
	}
	return strings.Join(parts, ", ")
}

// Text describes for people what the turn waits for.
func (s FilesScanned) Text() string {
	if s.Files == 0 {
		return "scanning files for undo"
	}
	return fmt.Sprintf("scanning files for undo (%d, %d MB so far)", s.Files, s.Bytes>>20)
}

// UndoResult lists what an undo did with each path, or in a preview, would do.
type UndoResult struct {
	Restored  int `json:"restored"`
	Already   int `json:"already,omitempty"`
	Conflicts int `json:"conflicts,omitempty"`
	NotKept   int `json:"not_kept,omitempty"`
	Skipped   int `json:"skipped,omitempty"`
	// Files are the paths; at most MostListedFiles.
	Files []UndoneFile `json:"files" nullable:"false"`
	More  int          `json:"more,omitempty"` // how many paths Files does not list
}

// UndoneFile is the result of an undo for one path.
type UndoneFile struct {
	Path   string      `json:"path"` // as in FileChange
	Result UndoOutcome `json:"result" enum:"restored,already,conflict,not_kept,skipped,late"`
	// Removed means that the path is restored and did not exist before the turn.
	Removed bool   `json:"removed,omitempty"`
	Reason  string `json:"reason,omitempty"` // why the path is not restored, or what is not restored with it
	// Trash is the file that has the bytes of UndoLate.
	Trash string `json:"trash,omitempty"`
}

// UndoOutcome is what an undo did with a path.
type UndoOutcome string

// The outcomes.
const (
	UndoRestored UndoOutcome = "restored" // the path has its earlier state
	UndoAlready  UndoOutcome = "already"  // it had its earlier state before the undo
	UndoConflict UndoOutcome = "conflict" // something else has changed it since; it is left alone
	UndoNotKept  UndoOutcome = "not_kept" // its earlier state was not kept
	UndoSkipped  UndoOutcome = "skipped"  // it needs a confirmation, or must be named
	UndoLate     UndoOutcome = "late"     // restored; a program that had the file open wrote to it afterwards: see Trash
)

// Text describes the result for people, for example "3 restored, 1 conflict".
func (r UndoResult) Text() string {
	parts := []string{fmt.Sprintf("%d restored", r.Restored)}
	for _, p := range []struct {
		n    int
		text string
	}{{r.Already, "already as before"}, {r.Conflicts, "changed since and left alone"}, {r.NotKept, "not kept"}, {r.Skipped, "need a confirmation"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	return strings.Join(parts, ", ")
}

// Text describes the undo for people, for example "undone: 3 restored".
func (u Undone) Text() string {
	if u.Redone != "" {
		return "redone: " + u.UndoResult.Text()
	}
	return "undone: " + u.UndoResult.Text()
}

// UndoRequest is a request to undo the changes of a turn, or to reverse an undo.
type UndoRequest struct {
	// ID identifies the request: a second one with the same ID returns the result
	// of the first. If it is empty, the undo gets a new one.
	ID   string
	Turn TurnID // whose changes are undone
	// Undo is the undo to reverse, and Session its session. Both are set instead of
	// Turn.
	Undo    string
	Session SessionID
	Paths   []string // only these and everything below them; empty for all
	// Confirmed means that a person has seen the list of changes. It includes
	// changes of which only the time shows that the turn made them.
	Confirmed bool
	Preview   bool // change nothing
	By        string
	Source    string
}

// Undoable is what an undo and a redo without a name mean in a session: the last
// turn that changed files and is not undone, and the last undo that is not
// reversed. Each is empty if there is none.
type Undoable struct {
	Turn        TurnID    `json:"turn,omitempty"`
	Undo        string    `json:"undo,omitempty"`
	UndoneTurns []TurnID  `json:"undone_turns,omitempty" doc:"whose changes that undo has undone"`
	UndoneAt    time.Time `json:"undone_at,omitzero" doc:"time of that undo"`
}

// Text describes the rewind for people.
func (r ConversationRewound) Text() string {
	if r.TakenBack {
		return "the conversation includes the turns again that a rewind had removed"
	}
	return "the conversation goes on as it was before an earlier turn"
}
