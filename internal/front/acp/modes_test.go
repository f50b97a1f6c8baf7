package acp

import (
	"os"
	"strings"
	"testing"
)

func TestModes_Names_AreThoseOfThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../web/src/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, names, _ := strings.Cut(strings.ReplaceAll(string(page), "'", ""), "export const modes")
	for _, m := range modes {
		if line := "\n  " + m.ID + ": " + m.Name + ",\n"; !strings.Contains(names, line) {
			t.Errorf("the page does not name %s %q: %s", m.ID, m.Name, names)
		}
	}
	if got := strings.Count(names, ": ") - 1; got != len(modes) {
		t.Errorf("the page has %d modes, want %d", got, len(modes))
	}
}
