//go:build linux

package snapshot_test

import (
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// nestedPair returns the workspaces of a directory and of a directory in it, with one
// place.
func nestedPair(t *testing.T) (outer, inner *snapshot.Workspace, root string) {
	t.Helper()
	place, root := t.TempDir(), t.TempDir()
	write(t, root, "top", "1")
	write(t, root, "sub/x", "1")
	write(t, root, "sub/y", "1")
	outer = open(t, place, root, small4)
	inner = open(t, place, filepath.Join(root, "sub"), small4)
	t.Cleanup(func() { _, _ = outer.Close(), inner.Close() })
	return outer, inner, root
}

// U11: a session in a directory and one in a directory inside it.
func TestEnd_CallInANestedWorkspaceIsOpen_ItsPathsAreDisputed(t *testing.T) {
	t.Parallel()
	outer, inner, root := nestedPair(t)
	begin(t, outer, "A", "a")
	begin(t, inner, "B", "b")
	write(t, root, "top", "2")
	write(t, root, "sub/x", "2")
	equalSummary(t, "inner, while the outer call is open", end(t, inner, "B").Changes, "disputed x")
	begin(t, inner, "C", "b")
	equalSummary(t, "outer, while an inner call is open", end(t, outer, "A").Changes, "disputed sub/x", "during top")
	write(t, root, "sub/y", "2")
	equalSummary(t, "inner, after the outer call", end(t, inner, "C").Changes, "during y")
}

// The process of the inner session has ended; only its record is left.
func TestEnd_CallInANestedWorkspaceHasEnded_OnlyItsChangesAreDisputed(t *testing.T) {
	t.Parallel()
	outer, inner, root := nestedPair(t)
	begin(t, outer, "A", "a")
	_, err := inner.Keep(ctx, snapshot.Call{ID: "B", Session: "b"}, "x", "new")
	must(t, err)
	write(t, root, "sub/x", "2")
	write(t, root, "sub/new", "2")
	end(t, inner, "B")
	must(t, inner.Close())
	write(t, root, "sub/y", "2")
	equalSummary(t, "outer", end(t, outer, "A").Changes, "disputed sub/new", "disputed sub/x", "during sub/y")
}

func TestEnd_CallsInANestedWorkspaceBeforeOrOfTheSameSession_DisputeNothing(t *testing.T) {
	t.Parallel()
	outer, inner, root := nestedPair(t)
	begin(t, inner, "before", "b")
	write(t, root, "sub/x", "2")
	end(t, inner, "before")
	begin(t, outer, "A", "a")
	begin(t, inner, "same", "a")
	write(t, root, "sub/x", "3")
	equalSummary(t, "inner", end(t, inner, "same").Changes, "during x")
	equalSummary(t, "outer", end(t, outer, "A").Changes, "during sub/x")
}

// A directory whose name begins like the one of another workspace is not in it.
func TestEnd_CallInAWorkspaceBeside_DisputesNothing(t *testing.T) {
	t.Parallel()
	_, inner, root := nestedPair(t)
	write(t, root, "sub2/x", "1")
	beside := open(t, filepath.Dir(inner.Dir()), filepath.Join(root, "sub2"), small4)
	t.Cleanup(func() { _ = beside.Close() })
	begin(t, inner, "A", "a")
	begin(t, beside, "B", "b")
	write(t, root, "sub/x", "2")
	write(t, root, "sub2/x", "2")
	equalSummary(t, "one", end(t, inner, "A").Changes, "during x")
	equalSummary(t, "the other", end(t, beside, "B").Changes, "during x")
}
