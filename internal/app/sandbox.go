package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/proc"
)

// newConfinement returns the policy that starts commands. It tries the levels of
// the sandbox when the first command starts.
func newConfinement(c Config, keeper *proc.Keeper, hide []string) *confine.Policy {
	s := c.Settings.Sandbox
	home, _ := os.UserHomeDir()
	shown := func(path string) bool { return slices.Contains(s.Show, path) }
	return &confine.Policy{
		Keeper: keeper,
		Open:   OpenSandbox(c.Settings),
		Limits: commandLimits(c.Settings.Limits),
		Hide:   hide, Secrets: slices.DeleteFunc(slices.Concat(confine.Credentials(home), s.Hide), shown),
		Write: slices.Concat(confine.Caches(home), s.Write), Network: sandbox.Network(s.Network), Domains: s.Domains, TmpBytes: s.TmpBytes,
	}
}

// OpenSandbox returns a function that finds the best sandbox of this machine once,
// or nil if none is configured.
func OpenSandbox(c config.Config) func() (*sandbox.Box, error) {
	if c.Sandbox.Mode == config.SandboxOff || c.Sandbox.Mode == "" {
		return nil
	}
	return sync.OnceValues(func() (*sandbox.Box, error) {
		box, err := sandbox.Open(context.Background(), sandbox.Mode(c.Sandbox.Mode), sandboxOptions(c.Sandbox.Level))
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		return box, nil
	})
}

func sandboxOptions(level string) sandbox.Options {
	switch level {
	case config.SandboxBubblewrap:
		return sandbox.Options{Level: sandbox.Namespaces, Means: sandbox.Bubblewrap}
	case config.SandboxNamespaces:
		return sandbox.Options{Level: sandbox.Namespaces, Means: sandbox.Bellcord}
	case config.SandboxLandlock:
		return sandbox.Options{Level: sandbox.Landlock}
	}
	return sandbox.Options{}
}

// commandLimits returns the limits of commands.
func commandLimits(l config.Limits) proc.Limits {
	return proc.Limits{Memory: l.CommandMemoryBytes, Processes: l.CommandProcesses, CPU: l.CommandCPUs}
}

// DescribeSandbox returns a line about the sandbox of this machine, for doctor.
func DescribeSandbox(c config.Config) (string, error) {
	open := OpenSandbox(c)
	if open == nil {
		return "off: commands have all rights of your user; set sandbox.mode to auto", nil
	}
	box, err := open()
	if err != nil {
		return "", err
	}
	text := string(box.Level())
	if box.Level() == sandbox.Namespaces {
		text += " by " + box.Means()
	}
	if missing := box.Missing(); len(missing) > 0 {
		text += "; " + strings.Join(missing, "; ")
	}
	if gaps := box.Gaps(sandbox.Profile{Network: sandbox.Network(c.Sandbox.Network)}); len(gaps) > 0 {
		text += "; not covered: " + strings.Join(gaps, "; ")
	}
	return text, nil
}

// agentStarter starts the processes of a hosted agent in the sandbox.
type agentStarter struct {
	policy  *confine.Policy
	home    string // of the agent; "" for this user's
	outside bool
}

// Start implements child.Starter.
func (s agentStarter) Start(c proc.Command, dirs []string) (*proc.Running, error) {
	return s.policy.Start(s.command(c, dirs))
}

// confined reports whether the agent runs in a sandbox.
func (s agentStarter) confined() bool { return s.policy.Sandboxed() && !s.outside }

func (s agentStarter) command(c proc.Command, dirs []string) confine.Command {
	home := s.home
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	return confine.Command{Command: c, Kind: confine.Agent, Home: home, Dirs: dirs, Outside: s.outside}
}

// describe returns how the agent is confined.
func (s agentStarter) describe() *bellcord.Sandbox {
	return s.policy.Describe(s.command(proc.Command{}, nil))
}
