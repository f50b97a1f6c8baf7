package hub_test

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/testkit/typecheck"
)

const hubPath = "github.com/bellcord/bellcord/hub"

// cancels lists every function of this package that uses a turn's cancel function
// or makes a cancellable context, with the reason. Hub.Stop is the only way to
// stop a turn (law 4). The other entries do not stop a turn or apply a stop that
// Hub.Stop has accepted.
var cancels = map[string]string{
	"newTurn":            "makes the context and its cancel function",
	"Turn.stopLocked":    "applies a stop: the one path from Hub.Stop, and from stops that other processes recorded",
	"Work.CallContext":   "makes the context of one call, which ends with the turn's or by a stop of the call alone",
	"Work.Step":          "applies a stop that waited for the step boundary",
	"Hub.appended":       "the store has refused a write: the turn is no longer this process's, or a value cannot be stored",
	"Hub.takenForDead":   "other processes have taken over all turns of this one",
	"Open":               "makes the context of the sweep's requests to the store; it is not a turn's",
	"newFollowing":       "makes the context of what follows the ends of turns; it is not a turn's",
	"Work.takeForwarded": "ends the reader of answers from other processes when the question is closed",
	"Hub.runTurn":        "frees the context after the turn has settled",
}

func TestLaw04_TurnCancel_EveryCallerIsListedWithItsReason(t *testing.T) {
	t.Parallel()
	hub := typecheck.List(t, hubPath).Load(t, hubPath)
	turn, _ := hub.Types.Scope().Lookup("Turn").Type().Underlying().(*types.Struct)
	var cancel *types.Var
	for field := range turn.Fields() {
		if field.Name() == "cancel" {
			cancel = field
		}
	}
	if cancel == nil {
		t.Fatal("Turn has no field cancel: adapt this test to its new name")
	}
	found := map[string]bool{}
	hub.Functions(func(name string, body *ast.BlockStmt) {
		ast.Inspect(body, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is && (hub.Info.Uses[id] == cancel || makesContext(hub.Info.Uses[id])) {
				found[name] = true
			}
			return true
		})
	})
	for name := range found {
		if cancels[name] == "" {
			t.Errorf("%s cancels a turn or makes a context to cancel; a turn is stopped by Hub.Stop only. If this is something else, list it with its reason", name)
		}
	}
	for name := range cancels {
		if !found[name] {
			t.Errorf("%s is listed, but does not use a turn's cancel function: remove it from the list", name)
		}
	}
}

func makesContext(o types.Object) bool {
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == "context" && slices.Contains([]string{"WithCancel", "WithCancelCause"}, o.Name())
}
