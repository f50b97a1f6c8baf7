package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteSection_PageWithOtherSections_ReplacesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("# Head\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, write := range [][2]string{{"one", "first"}, {"two", "second"}, {"one", "third"}} {
		if err := writeSection(page, write[0], write[1]+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Head\n", "third", "second"} {
		if strings.Count(string(text), want) != 1 {
			t.Errorf("%q is not there once:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "first") {
		t.Errorf("the old section is still there:\n%s", text)
	}
}
