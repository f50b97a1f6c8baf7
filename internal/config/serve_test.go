package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/config"
)

func TestServe_Default_ListensOnThisMachineOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path)
	if err != nil || c.Serve.Check() != nil {
		t.Fatal(err, c.Serve.Check())
	}
	if c.Serve.Addr != "127.0.0.1:4500" || time.Duration(c.Serve.ShutdownGrace) != 30*time.Second || c.Serve.RequestsPerSecond != 200 {
		t.Errorf("%+v", c.Serve)
	}
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		if !slices.Contains(c.Serve.Names(), name) {
			t.Errorf("it is not called %s", name)
		}
	}
}

func TestServeCheck_InvalidOrUnsafeSettings_ReturnsTheReason(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		serve config.Serve
		why   string // "" if the settings are valid
	}{
		{config.Serve{Addr: "127.0.0.1:0"}, ""},
		{config.Serve{Addr: "localhost:80"}, ""},
		{config.Serve{Addr: "[::1]:80"}, ""},
		{config.Serve{Addr: "4500"}, "host:port"},
		{config.Serve{Addr: "127.0.0.1:0", Dirs: []string{t.TempDir()}, OwnerDirs: map[string][]string{"anna": {t.TempDir()}}}, ""},
		{config.Serve{Addr: "127.0.0.1:0", Dirs: []string{"shop"}}, "not an absolute path"},
		{config.Serve{Addr: "127.0.0.1:0", OwnerDirs: map[string][]string{"anna": {"~/shop"}}}, "not an absolute path"},
		{config.Serve{Addr: "0.0.0.0:4500", AllowedHosts: []string{"x"}}, "unencrypted"},
		{config.Serve{Addr: ":4500", AllowedHosts: []string{"x"}}, "unencrypted"},
		{config.Serve{Addr: "192.0.2.1:4500"}, "unencrypted"},
		{config.Serve{Addr: "example.com:4500"}, "unencrypted"},
		{config.Serve{Addr: "192.0.2.1:4500", TrustProxy: true}, ""},
		{config.Serve{Addr: "192.0.2.1:4500", TLSCert: "c", TLSKey: "k"}, ""},
		{config.Serve{Addr: "192.0.2.1:4500", TLSCert: "c"}, "must be set together"},
		{config.Serve{Addr: "0.0.0.0:4500", TrustProxy: true}, "--allow-host"},
		{config.Serve{Addr: "[::]:4500", TLSCert: "c", TLSKey: "k"}, "--allow-host"},
		{config.Serve{Addr: "0.0.0.0:4500", TrustProxy: true, AllowedHosts: []string{"x"}}, ""},
		{config.Serve{Addr: "127.0.0.1:0", MaxTurns: -1, MaxViewers: -1}, ""},
		{config.Serve{Addr: "127.0.0.1:0", MaxTurns: -2}, "max_turns is -2"},
		{config.Serve{Addr: "127.0.0.1:0", MaxViewersPerOwner: -10}, "-1 for no limit"},
		{config.Serve{Addr: "127.0.0.1:0", AllowedOrigins: []string{"https://example.com"}}, ""},
		{config.Serve{Addr: "127.0.0.1:0", AllowedOrigins: []string{"example.com"}}, "scheme://host"},
		{config.Serve{Addr: "127.0.0.1:0", AllowedOrigins: []string{"https://example.com/a"}}, "scheme://host"},
	} {
		err := test.serve.Check()
		if (err == nil) != (test.why == "") || err != nil && !strings.Contains(err.Error(), test.why) {
			t.Errorf("%+v: %v", test.serve, err)
		}
	}
}
