package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSteers_EveryNameOfTheTable_HasAReasonAndIsDocumented(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "permissions.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "## Files that run or give instructions")
	table, _, _ = strings.Cut(table, "\n## ")
	if !found {
		t.Fatal("the page has no such section")
	}
	for _, s := range steered {
		for _, name := range s.names {
			for _, path := range []string{name, "sub/" + strings.ToUpper(name), "a/b/" + name + "."} {
				if got := steers(root, path); got != s.why {
					t.Errorf("%s: %q, want %q", path, got, s.why)
				}
			}
			if !strings.Contains(strings.ToLower(table), "`"+name+"`") {
				t.Errorf("docs/permissions.md does not list %s", name)
			}
		}
		for _, end := range s.ends {
			if got := steers(root, "sub/my"+end); got != s.why {
				t.Errorf("my%s: %q, want %q", end, got, s.why)
			}
			if !strings.Contains(table, "`*"+end+"`") {
				t.Errorf("docs/permissions.md does not list *%s", end)
			}
		}
		if !strings.Contains(table, "| "+s.why+" |") {
			t.Errorf("docs/permissions.md does not contain the reason %q", s.why)
		}
	}
	for _, path := range []string{"main.go", "package.json/x.go", "makefile.go", "my-package.json", "code-workspace", "docs/skill.markdown", "x.json"} {
		if got := steers(root, path); got != "" {
			t.Errorf("%s: %q", path, got)
		}
	}
}
