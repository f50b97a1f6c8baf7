//go:build unix

package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

func TestExposed_SecretsInAReadableFile_IsAnError(t *testing.T) {
	t.Parallel()
	const key = "[provider.x]\napi_key = \"sk-1\"\n"
	tests := []struct {
		text    string
		mode    os.FileMode
		exposed bool
	}{
		{key, 0o644, true},
		{key, 0o640, true},
		{key, 0o600, false},
		{"[telegram]\ntoken = '1:x'\n", 0o644, true},
		{"[telegram]\ntoken_file = \"/run/token\"\n", 0o644, false},
		{"model = \"a/b\"\n", 0o644, false},
		{"# api_key = \"sk-1\"\n", 0o644, false},
	}
	for _, test := range tests {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(test.text), test.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, test.mode); err != nil {
			t.Fatal(err)
		}
		if err := config.Exposed(file); (err != nil) != test.exposed {
			t.Errorf("%q with mode %v: %v", test.text, test.mode, err)
		}
	}
}
