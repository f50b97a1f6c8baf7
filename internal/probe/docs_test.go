package probe

import (
	"os"
	"strings"
	"testing"
)

func TestDocs_ProbeChecks_NamesEveryCheck(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/dev/tests.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append(acpChecks(), piChecks()...) {
		if !strings.Contains(string(page), "`"+c.id+"`") {
			t.Errorf("docs/dev/tests.md does not name %s", c.id)
		}
	}
}
