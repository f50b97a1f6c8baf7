package acp

import (
	"testing"

	"github.com/bellcord/bellcord"
)

func TestStopReason_LostTurn_SaysWhetherItsProcessesAreKnown(t *testing.T) {
	t.Parallel()
	r := bellcord.Receipt{End: bellcord.EndLost}
	const known = "the turn is lost: Bellcord ended during this turn"
	if _, failed := stopReason(r, ""); failed == nil || failed.Message != known {
		t.Errorf("%+v", failed)
	}
	r.Processes.Unknown = bellcord.ProcessesNotChecked
	const unknown = known + "; processes not known yet: not checked since Bellcord ended"
	if _, failed := stopReason(r, ""); failed == nil || failed.Message != unknown {
		t.Errorf("%+v", failed)
	}
}
