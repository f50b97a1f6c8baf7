package line_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

// causeKinds returns all kinds of causes, from their declarations.
func causeKinds(t *testing.T) []bellcord.CauseKind {
	t.Helper()
	source, err := os.ReadFile("../../../stop.go")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []bellcord.CauseKind
	for _, found := range regexp.MustCompile(`CauseKind = "(\w+)"`).FindAllSubmatch(source, -1) {
		kinds = append(kinds, bellcord.CauseKind(found[1]))
	}
	return kinds
}

func TestStopCause_EveryKind_HasWords(t *testing.T) {
	t.Parallel()
	want := map[bellcord.CauseKind]string{
		bellcord.CausePerson:     " by anna, Telegram",
		bellcord.CauseDeadline:   ": time limit",
		bellcord.CauseBudget:     ": budget spent (of the day)",
		bellcord.CauseStepLimit:  ": step limit",
		bellcord.CauseShutdown:   ": Bellcord was closed",
		bellcord.CauseReplaced:   ": replaced by a newer prompt",
		bellcord.CauseDisconnect: ": nobody was watching",
	}
	kinds := causeKinds(t)
	if len(kinds) != len(want) {
		t.Errorf("there are %d kinds: %q", len(kinds), kinds)
	}
	for _, kind := range kinds {
		cause := bellcord.Cause{Kind: kind, By: "anna", Source: "Telegram", Reason: "of the\nday"}
		if got := line.StopCause(cause); got != want[kind] {
			t.Errorf("%s is %q, want %q", kind, got, want[kind])
		}
		r := bellcord.Receipt{End: bellcord.EndStopped, Cause: &cause}
		words := strings.TrimPrefix(want[kind], ": ")
		for name, text := range map[string]string{"receipt": line.Receipt(r), "details": line.Details(r)} {
			if first, _, _ := strings.Cut(strings.TrimSpace(words), ", "); kind != bellcord.CauseBudget && !strings.Contains(text, first) {
				t.Errorf("the %s of %s is %q", name, kind, text)
			}
		}
	}
}

func TestStopCause_ForeignText_IsOneVisibleLine(t *testing.T) {
	t.Parallel()
	for want, cause := range map[string]bellcord.Cause{
		" by an unknown person": {Kind: bellcord.CausePerson},
		" by a␛b c, x y":        {Kind: bellcord.CausePerson, By: "a\x1bb\nc", Source: "x\ny"},
		": a newer_kind":        {Kind: "a\nnewer_kind"},
	} {
		if got := line.StopCause(cause); got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}
