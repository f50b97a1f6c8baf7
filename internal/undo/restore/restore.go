package restore

import (
	"errors"
	"io"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Source opens the bytes of a file or the target of a symbolic link. If it does not
// have them, the error is fs.ErrNotExist.
type Source interface {
	Open(tree.Sum) (io.ReadCloser, error)
}

// Options are the settings of one undo.
type Options struct {
	// Dir is the directory of this undo alone. It is outside the workspace; its
	// parent exists.
	Dir string
	// Source has the bytes of the earlier states.
	Source Source
	// Paths limits a plan to these paths, to everything below them, and to the
	// directories above them that must exist again. Empty means all changes.
	Paths []string
}

// Result is what happened to a path, or in a preview what would happen.
type Result string

// The results.
const (
	Restored Result = "restored" // the path has its earlier state
	Already  Result = "already"  // it had the earlier state before the undo
	Conflict Result = "conflict" // it was changed by something else and is left alone
	NotKept  Result = "not_kept" // its earlier state was not kept
	Late     Result = "late"     // a program wrote to a file in the trash: see Trash
)

// Outcome is the result for one path.
type Outcome struct {
	Path   string
	Result Result
	// Removed is set if the path is restored and did not exist before the turn.
	Removed bool
	Reason  string // for people; empty if restored or already
	Trash   string // for Late, the file with the bytes that are at no path
	// OtherLinks is the number of other hard links of the file that was replaced.
	// They keep the bytes that they had.
	OtherLinks int
}

var (
	// ErrUnsupported is returned if the system or the file system cannot exchange
	// two files in one step. Nothing was changed.
	ErrUnsupported = errors.New("the file system cannot exchange two files atomically, which undo requires")
	// ErrNoPlan is returned by Resume if the undo had not begun. Nothing was changed.
	ErrNoPlan = errors.New("the undo had not begun: plan it again")
)

// reach is called at every point between two operations of an undo. Tests replace
// it to end the process there.
var reach = func(string) {}
