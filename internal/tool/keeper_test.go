package tool_test

import (
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
)

// ownShell returns a shell tool with a new keeper and a new resources.
func ownShell(t *testing.T) (tool.Tool, *tool.SessionResources) {
	t.Helper()
	keeper, resources := ownKeeper(t)
	return tool.Shell(keeper, resources), resources
}

// ownKeeper returns a keeper and resources for one test.
func ownKeeper(t *testing.T) (*proc.Keeper, *tool.SessionResources) {
	t.Helper()
	keeper, err := proc.Open("", proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	resources := &tool.SessionResources{Dir: t.TempDir()}
	t.Cleanup(func() {
		resources.EndAll()
		if err := keeper.Close(); err != nil {
			t.Error(err)
		}
	})
	return keeper, resources
}

func aShell(t *testing.T) tool.Tool {
	t.Helper()
	shell, _ := ownShell(t)
	return shell
}
