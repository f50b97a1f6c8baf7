package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/config"
)

func TestCheck_IdleTimeoutOfAnAgent_IsReadAndNotNegative(t *testing.T) {
	for text, want := range map[string]string{"1h": "", "0s": "", "-1s": "agents.goose.idle_timeout is negative"} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte("[agents.goose]\nidle_timeout = \""+text+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		set, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Agents["goose"].IdleTimeout; got == nil || time.Duration(*got) != set {
			t.Errorf("%s is read as %v", text, got)
		}
		if err := c.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
