//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

// The test loads every toml block as a configuration: a misspelt or removed setting is an error.
func TestDocs_TOMLBlocks_AreValidConfigurations(t *testing.T) {
	t.Parallel()
	fenced := regexp.MustCompile("(?ms)^```toml\n(.*?)^```")
	read := 0
	for _, document := range documents(t) {
		text, err := os.ReadFile(filepath.Join("..", "..", document))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range fenced.FindAllSubmatchIndex(text, -1) {
			path := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(path, text[at[2]:at[3]], 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := config.Load(path); err != nil {
				t.Errorf("%s, line %d: %v", document, strings.Count(string(text[:at[0]]), "\n")+1, err)
			}
			read++
		}
	}
	if read < 5 {
		t.Errorf("only %d blocks were found", read)
	}
}
