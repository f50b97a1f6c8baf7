package probe

import (
	"os"
	"strings"
	"testing"
)

func TestDocs_HowAgentsStop_NamesEveryCheck(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/how-agents-stop.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append(acpChecks(), piChecks()...) {
		if !strings.Contains(string(page), "`"+c.id+"`") {
			t.Errorf("docs/how-agents-stop.md does not name %s", c.id)
		}
	}
}
