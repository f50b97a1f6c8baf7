package react

import (
	"testing"

	"github.com/bellcord/bellcord"
)

func TestFirstModes_ManySessions_OnlyTheNewestAreKept(t *testing.T) {
	t.Parallel()
	var f firstModes
	for range 2 * mostModes {
		s := bellcord.Session{ID: bellcord.NewSessionID(), Mode: "ask"}
		f.of(s)
		s.Mode = "full"
		if got := f.of(s); got != "ask" {
			t.Fatalf("the first mode is %q", got)
		}
	}
	if len(f.modes) != mostModes || len(f.order) != mostModes {
		t.Errorf("%d modes of %d sessions are kept", len(f.modes), len(f.order))
	}
}
