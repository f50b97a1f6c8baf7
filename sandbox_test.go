package bellcord_test

import (
	"reflect"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestSandbox_CommandsOfTwoLevels_AreDescribedByTheWeakerOneWithAllGaps(t *testing.T) {
	t.Parallel()
	strong := &bellcord.Sandbox{Level: bellcord.SandboxNamespaces, Gaps: []string{"loopback"}}
	weak := &bellcord.Sandbox{Level: bellcord.SandboxLandlock, Gaps: []string{"loopback", ".git/config"}}
	want := &bellcord.Sandbox{Level: bellcord.SandboxLandlock, Gaps: []string{"loopback", ".git/config"}}
	if got := strong.Weaker(weak); !reflect.DeepEqual(got, want) {
		t.Errorf("strong, then weak: %+v", got)
	}
	if got := weak.Weaker(strong); !reflect.DeepEqual(got, want) {
		t.Errorf("weak, then strong: %+v", got)
	}
	if got := (*bellcord.Sandbox)(nil).Weaker(strong); got != strong {
		t.Errorf("the first command: %+v", got)
	}
	if got := strong.Weaker(nil); got != strong {
		t.Errorf("a command without a sandbox: %+v", got)
	}
	if len(strong.Gaps) != 1 {
		t.Errorf("the gaps of the first were changed: %v", strong.Gaps)
	}
}
