package doctor

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
)

func TestSandbox_LevelIsNone_WarnsAndNamesTheFilter(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		state app.SandboxState
		want  Verdict
	}{
		"none":         {app.SandboxState{Mode: config.SandboxAuto, Level: "none", Missing: []string{"landlock: refused"}}, Warning},
		"landlock":     {app.SandboxState{Mode: config.SandboxAuto, Level: "landlock"}, OK},
		"switched off": {app.SandboxState{Mode: config.SandboxOff, Level: "none"}, OK},
	} {
		found := confinement(of.state)
		if len(found) != 1 || found[0].Verdict != of.want {
			t.Errorf("%s: %+v", name, found)
		}
		if of.want == Warning && (!strings.Contains(found[0].Fix, "filter of system calls") || !strings.Contains(found[0].Says, "landlock: refused")) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestSandbox_HomeIsHidden_IsReported(t *testing.T) {
	t.Parallel()
	for home, want := range map[string]string{config.HomeHidden: "the home directory is hidden", config.HomeVisible: "the home directory is visible"} {
		found := confinement(app.SandboxState{Mode: config.SandboxAuto, Level: "namespaces", Home: home})
		if len(found) != 1 || !strings.Contains(found[0].Says, want) {
			t.Errorf("%s: %+v", home, found)
		}
	}
}
