// Package tree describes the files of a workspace: the state of one path, and the
// changes between two states.
package tree

import (
	"cmp"
	"crypto/sha256"
	"io/fs"
)

// Kind is the kind of a directory entry.
type Kind string

// The kinds of entries. Bytes are kept of files and symbolic links only.
const (
	Absent    Kind = ""
	File      Kind = "file"
	Symlink   Kind = "symlink"
	Directory Kind = "directory"
	Other     Kind = "other" // a device, a socket or a named pipe
	// Repository is a .git directory. It has one state with everything in it.
	Repository Kind = "repository"
)

// TrashName is the name of the directory in the root of a workspace that contains
// displaced files, if the undo storage is in another file system. Snapshots and undos
// leave it out.
const TrashName = ".bellcord-trash"

// Sum is the SHA-256 of a file's bytes, or of the target of a symbolic link.
type Sum [sha256.Size]byte

// State is the state of one path. Two states are equal if kind, mode and bytes
// are: the time of the last change is not part of it.
type State struct {
	Kind Kind
	Mode fs.FileMode // permission, setuid, setgid and sticky bits; zero for symbolic links
	Size int64       // of files and symbolic links; of a repository its packs and directories of objects
	Sum  Sum         // of files and symbolic links; of what names the commits of a repository
	// Hashed is false if the bytes were not read: of a file that is too large or
	// in a directory with too many files. Such a state is equal to no other.
	Hashed bool
}

// Equal reports whether both states have the same kind, mode and bytes. Files
// whose bytes were not read are equal to nothing.
func (s State) Equal(other State) bool {
	if s.Kind != other.Kind || s.Mode != other.Mode {
		return false
	}
	switch s.Kind {
	case Absent, Directory, Other:
		return true
	case File, Symlink, Repository:
	}
	return s.Hashed && other.Hashed && s.Size == other.Size && s.Sum == other.Sum
}

// Certainty describes how sure it is that a change was made by the call that lists it.
type Certainty string

// The certainties of a change.
const (
	Own      Certainty = "own"      // the call named the path before it changed it
	During   Certainty = "during"   // the path changed while the call was running
	Found    Certainty = "found"    // as During; the process that started the call has died
	Disputed Certainty = "disputed" // calls of several sessions were running when the path changed
	Loose    Certainty = "loose"    // the path changed before the call, while no call was running
)

// Change is a path whose state differs before and after a call or a turn. Path is
// relative to the root of the workspace, with slashes; it can contain bytes that are
// not UTF-8.
type Change struct {
	Path          string
	Before, After State
	// Kept reports whether the bytes of both states are kept, so that the change
	// can be undone and redone.
	Kept bool
	// Reason describes why the bytes are not kept. It is empty if Kept is true.
	Reason    string
	Certainty Certainty
}

// Compare orders changes by path.
func Compare(a, b Change) int { return cmp.Compare(a.Path, b.Path) }
