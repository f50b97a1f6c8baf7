package permit_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
)

// TestPermissionsDoc_TableOfCommands_MatchesDecisions checks every command in
// the table of docs/permissions.md that shows what a rule allows.
func TestPermissionsDoc_TableOfCommands_MatchesDecisions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "permissions.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| with `allow = [\"shell(git status)\"]` | |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	p := policy(t, []string{"shell(git status)"}, nil)
	tried := 0
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(row, " | ")
		want := permit.Put
		if strings.HasPrefix(cells[len(cells)-1], "runs") {
			want = permit.Allow
		}
		for _, command := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[0], -1) {
			tried++
			if d := p.Decide(permit.Session{ID: "s"}, permit.Ask, shell(command[1])); d.Verdict != want {
				t.Errorf("%s: %s, and not %s", command[1], d.Verdict, want)
			}
		}
	}
	if !found || tried < 8 {
		t.Errorf("only %d commands were found", tried)
	}
}
