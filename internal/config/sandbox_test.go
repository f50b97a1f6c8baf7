package config_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

func TestCheck_InvalidSandbox_NamesTheSettingAndTheValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*config.Sandbox)
		want   string
	}{
		"mode":          {func(s *config.Sandbox) { s.Mode = "on" }, `sandbox.mode is "on": use auto, require or off`},
		"level":         {func(s *config.Sandbox) { s.Level = "docker" }, `sandbox.level is "docker": use bubblewrap, namespaces or landlock`},
		"network":       {func(s *config.Sandbox) { s.Network = "some" }, `sandbox.network is "some": use off, proxy or on`},
		"home":          {func(s *config.Sandbox) { s.Home = "private" }, `sandbox.home is "private": use visible or hidden`},
		"relative path": {func(s *config.Sandbox) { s.Hide = []string{"secrets"} }, `sandbox.hide: "secrets" is not an absolute path`},
		"domain":        {func(s *config.Sandbox) { s.Domains = []string{"https://example.org/"} }, "is not a host"},
		"all domains":   {func(s *config.Sandbox) { s.Domains = []string{"*"} }, "is not a host"},
		"tmp":           {func(s *config.Sandbox) { s.TmpBytes = -1 }, "sandbox.tmp_bytes is negative"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := config.Defaults()
			c.change(&settings.Sandbox)
			if err := settings.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	settings := config.Defaults()
	settings.Sandbox = config.Sandbox{Mode: config.SandboxRequire, Network: config.NetworkProxy, Domains: []string{"example.org", "*.example.org"}, Hide: []string{"/srv"}}
	if err := settings.Check(); err != nil {
		t.Errorf("valid settings: %v", err)
	}
}
