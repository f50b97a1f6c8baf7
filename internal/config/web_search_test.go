package config_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

func TestCheck_WebSearch_NeedsServiceWithKeyOrAddress(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"provider = \"duck\"\n":    "unknown provider",
		"provider = \"brave\"\n":   "set BRAVE_API_KEY",
		"provider = \"tavily\"\n":  "set TAVILY_API_KEY",
		"provider = \"searxng\"\n": "set url",
		"provider = \"brave\"\nbrave_api_key = \"k\"\n":                                 "",
		"provider = \"searxng\"\nurl = \"http://127.0.0.1:8080\"\n":                     "",
		"provider = \"searxng\"\nurl = \"file:///etc/passwd\"\n":                        "is not an http or https URL",
		"provider = \"tavily\"\ntavily_api_key = \"k\"\nurl = \"tavily.example.org\"\n": "is not an http or https URL",
	} {
		t.Setenv("BRAVE_API_KEY", "")
		t.Setenv("TAVILY_API_KEY", "")
		c, err := config.Load(write(t, filepath.Join(t.TempDir(), "config.toml"), "[web_search]\n"+text))
		if err == nil {
			err = c.Check()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestLoad_WebSearchKey_ComesFromEnvironmentAndIsASecret(t *testing.T) {
	t.Setenv("TAVILY_API_KEY", "tvly-123456789")
	c, err := config.Load(write(t, filepath.Join(t.TempDir(), "config.toml"), "[web_search]\nprovider = \"tavily\"\n"))
	if err != nil || c.WebSearch.Key() != "tvly-123456789" || !slices.Contains(c.Secrets(), "tvly-123456789") {
		t.Errorf("%q, %v", c.WebSearch.Key(), err)
	}
}
