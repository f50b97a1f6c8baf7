package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Sandbox configures how commands, MCP servers and hosted agents are confined.
type Sandbox struct {
	Mode     string   `toml:"mode"`      // "auto" uses the best sandbox that this machine offers, "require" runs no command without one, "off" uses none
	Level    string   `toml:"level"`     // the only sandbox to use: "bubblewrap", "namespaces" (of Bellcord itself) or "landlock" (unset: the first of them that works)
	Network  string   `toml:"network"`   // network of commands in the modes ask and auto-edit: "off", "proxy" (a person is asked for every host that is not in domains) or "on"; commands in mode full have the network unless this is "off"
	Domains  []string `toml:"domains"`   // hosts that commands reach through the proxy without a question, such as "example.org", or "*.example.org" for all hosts below it
	Write    []string `toml:"write"`     // more directories that commands may write, as absolute paths
	Home     string   `toml:"home"`      // home directory of this user for commands: "visible" except for credentials, or "hidden" except for tool chains, the settings of git, caches, the session's directories and what write and show name
	Hide     []string `toml:"hide"`      // more files and directories that commands cannot see, as absolute paths
	Show     []string `toml:"show"`      // hidden files and directories, or paths in them, that commands may read nevertheless, as absolute paths
	TmpBytes int64    `toml:"tmp_bytes"` // size of a session's /tmp
}

// Values of Sandbox.Mode.
const (
	SandboxAuto    = "auto"
	SandboxRequire = "require"
	SandboxOff     = "off"
)

// Values of Sandbox.Level. Unset means the best.
const (
	SandboxBubblewrap = "bubblewrap"
	SandboxNamespaces = "namespaces"
	SandboxLandlock   = "landlock"
)

// Values of Sandbox.Network.
const (
	NetworkOff   = "off"
	NetworkProxy = "proxy"
	NetworkOn    = "on"
)

// Values of Sandbox.Home.
const (
	HomeVisible = "visible"
	HomeHidden  = "hidden"
)

// check returns an error for invalid settings.
func (s Sandbox) check() error {
	switch {
	case !slices.Contains([]string{"", SandboxAuto, SandboxRequire, SandboxOff}, s.Mode):
		return fmt.Errorf("sandbox.mode is %q: use %s, %s or %s", s.Mode, SandboxAuto, SandboxRequire, SandboxOff)
	case !slices.Contains([]string{"", SandboxBubblewrap, SandboxNamespaces, SandboxLandlock}, s.Level):
		return fmt.Errorf("sandbox.level is %q: use %s, %s or %s", s.Level, SandboxBubblewrap, SandboxNamespaces, SandboxLandlock)
	case !slices.Contains([]string{"", NetworkOff, NetworkProxy, NetworkOn}, s.Network):
		return fmt.Errorf("sandbox.network is %q: use %s, %s or %s", s.Network, NetworkOff, NetworkProxy, NetworkOn)
	case !slices.Contains([]string{"", HomeVisible, HomeHidden}, s.Home):
		return fmt.Errorf("sandbox.home is %q: use %s or %s", s.Home, HomeVisible, HomeHidden)
	case s.TmpBytes < 0:
		return fmt.Errorf("sandbox.tmp_bytes is negative: use 0 for the default, or more")
	}
	for name, paths := range map[string][]string{"write": s.Write, "hide": s.Hide, "show": s.Show} {
		for _, path := range paths {
			if !filepath.IsAbs(path) {
				return fmt.Errorf("sandbox.%s: %q is not an absolute path", name, path)
			}
		}
	}
	for _, domain := range s.Domains {
		if rest := strings.TrimPrefix(domain, "*."); rest == "" || strings.ContainsAny(rest, "*/ ") {
			return fmt.Errorf("sandbox.domains: %q is not a host: use a name such as example.org, or *.example.org", domain)
		}
	}
	return nil
}
