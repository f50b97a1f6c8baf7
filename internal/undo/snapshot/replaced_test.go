package snapshot_test

import (
	"os"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// U4: a call without a sandbox can move the workspace itself.
func TestEnd_WorkspaceMovedAndReplaced_IsAGap(t *testing.T) {
	t.Parallel()
	w, _, root := fresh(t, snapshot.Limits{})
	begin(t, w, "1", "s")
	must(t, os.Rename(root, root+".old"))
	write(t, root, "new", "1")
	if r := end(t, w, "1"); !slices.Contains(r.Gaps, snapshot.Gap{Reason: snapshot.Replaced}) {
		t.Errorf("gaps: %v", r.Gaps)
	}
}
