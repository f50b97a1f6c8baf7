//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wrongIn counts the bold cells below a heading of docs/dev/peers.md, by agent.
func wrongIn(text, heading string) map[string]int {
	_, part, _ := strings.Cut(text, "\n## "+heading)
	part, _, _ = strings.Cut(part, "\n## ")
	wrong := map[string]int{}
	var agents []string
	for line := range strings.SplitSeq(part, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		switch {
		case !strings.HasPrefix(line, "| "):
		case agents == nil:
			agents = cells
		default:
			for i, cell := range cells {
				if strings.HasPrefix(cell, "**") && i < len(agents) {
					wrong[agents[i]]++
				}
			}
		}
	}
	return wrong
}

// The test keeps README.md in sync with a new measurement.
func TestDocs_CountsOfReadme_MatchMeasurement(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	measured, err := os.ReadFile(filepath.Join(root, "docs", "dev", "peers.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, head, _ := strings.Cut(string(measured), "one run: existence proofs, not rates.\n")
	head, _, _ = strings.Cut(head, ".\n")
	bare, behind := wrongIn(string(measured), "Bare"), wrongIn(string(measured), "The same agents behind")
	if len(bare) == 0 || len(behind) != 0 {
		t.Errorf("wrong bare: %v, behind: %v", bare, behind)
	}
	for _, agent := range strings.Split(head, ", ")[1:] { // the first part is the date
		name, _, hasVersion := strings.Cut(agent, " ")
		row := fmt.Sprintf("\n| %s | %d | %d | ", agent, bare[name], behind[name])
		if hasVersion && !strings.Contains(string(readme), row) {
			t.Errorf("README.md has no row that begins with %s", row)
		}
	}
}
