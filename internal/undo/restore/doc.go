// Package restore puts the files of a workspace back to the state before a turn.
//
// [Plan] compares the workspace with the changes of one or more turns and returns
// an [Undo]. [Undo.Preview] lists what would be done, [Undo.Apply] does it. After a
// crash at any point, [Resume] completes it. [Reversed] returns the changes of the
// opposite undo, a redo. [Collect] deletes what an undo has displaced.
//
// # Rules
//
// A path is changed only if its present state (kind, bytes, mode) is the state after
// the turn. Otherwise it is a conflict and stays as it is. Nothing that was ever at a
// path is deleted: it is moved to the trash. After every move the moved file is read,
// and at the end all of them are read again: a file with other bytes than expected
// was written by an editor in the meantime. It is moved back, or reported as [Late]
// with its place in the trash.
//
// # Files of an undo
//
// Each undo has a directory outside the workspace, [Options.Dir]:
//
//	plan    the steps, written before the first change
//	staged  exists when the bytes for all steps are on disk
//	done    the outcomes
//	files/  staged and displaced files, the trash
//
// The names in the trash are the progress of the undo, so that no second record can
// differ from it. For step 7, with a staged file of inode 345:
//
//	7.part      the staged file, incomplete
//	7.345       complete. If its inode is no longer 345, it was exchanged with the path
//	7.345.out   what was at the path
//	7.345.drop  a staged file that is not needed; deleted at the end
//	7.0, 7.0.out   a file that was moved away, without a replacement
//
// Files are staged in the trash, not next to the path: a file next to the path would
// be seen by watchers, by "git add" and by the scans of other sessions. The trash must
// be in the same mount as the workspace, because only a rename moves a file
// without a copy, and an editor that has the file open writes to the original and not
// to a copy. If Options.Dir is in another mount, the trash is the directory
// .bellcord-trash in the root of the workspace, with a .gitignore file that hides it
// from git. A path in another mount than the root of the workspace is a conflict.
//
// # Hard links
//
// Paths of one undo that are hard links of one file, and had the same earlier state,
// become hard links of one new file. Otherwise a file with several hard links is
// replaced like any other: the path gets its earlier bytes, and the other links keep
// theirs. [Outcome.OtherLinks] has their number.
// The file is not written in place. Such a write is not atomic, can overwrite the write
// of an editor, and changes files outside the workspace: a package manager links files
// of its store into the workspace, and after an update of a package, a write in place
// would store the bytes of the old version under the new one.
//
// # Systems
//
// The package needs an atomic exchange of two files: renameat2 on Linux, renameatx_np
// on macOS. The code for macOS is compiled but was never run. On other systems and on
// file systems without the operation, Apply returns [ErrUnsupported] and changes nothing.
//
// The caller must ensure that one undo at a time runs in a workspace.
package restore
