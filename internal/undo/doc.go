// Package undo records what turns change in the directories of their sessions,
// and puts it back.
//
// An agent reports each call to the Turn that Recorder.Turn returns: Before and
// After for a call that can change any file, Changing for a path that a file tool
// is about to change. Before returns when the bytes of every kept file are
// durable. After returns immediately: the comparison runs in the background, and
// the next call waits for it. So neither a stop nor the end of a turn waits for a
// scan. If the comparison is not complete when the turn ends, the receipt marks
// the changes as pending, and an event follows.
//
// Undo sets files to their state before turns, and Redo reverses an undo. Both are
// recorded on disk before the first change, and Recover completes those that a
// crash interrupted.
package undo
