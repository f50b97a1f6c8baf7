package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	missing := confine.MissingCaches(home)
	if c.Temporary {
		missing = nil
	}
	var tools []string
	if s.Home == config.HomeHidden {
		tools = confine.Toolchains(home)
	}
	return &confine.Policy{
		Keeper: keeper,
		Open:   OpenSandbox(c.Settings), Required: s.Mode == config.SandboxRequire,
		Limits: CommandLimits(c.Settings.Limits),
		Hide:   hide, Secrets: cleaned(confine.Credentials(home), s.Hide), Show: cleaned(s.Show),
		Write: slices.Concat(confine.Caches(home), s.Write), Home: home, Tools: tools, Caches: missing,
		Network: sandbox.Network(s.Network), Domains: s.Domains, TmpBytes: s.TmpBytes,
		Workspaces: absolute(WorkspacesDir(c.Settings.DataDir)),
		Tmp:        &confine.TempDirs{Parent: absolute(filepath.Join(c.Settings.DataDir, "tmp"))},
	}
}

// cleaned returns the paths of all lists without needless elements.
func cleaned(lists ...[]string) []string {
	all := slices.Concat(lists...)
	for i, path := range all {
		all[i] = filepath.Clean(path)
	}
	return all
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

// CommandLimits returns the limits of commands.
func CommandLimits(l config.Limits) proc.Limits {
	return proc.Limits{Memory: l.CommandMemoryBytes, MemoryPercent: l.CommandMemoryPercent, Processes: l.CommandProcesses, CPU: l.CommandCPUs}
}

// SandboxState is how the commands of this process are confined.
type SandboxState struct {
	Mode    string
	Level   sandbox.Level
	Means   string   // of the level Namespaces
	Missing []string // why a better level is not available
	Gaps    []string // what the level does not protect from
	Home    string   // config.HomeHidden, or another value
}

// FindSandbox returns the state of the sandbox, for doctor.
func FindSandbox(c config.Config) (SandboxState, error) { return sandboxState(c, OpenSandbox(c)) }

func sandboxState(c config.Config, open func() (*sandbox.Box, error)) (SandboxState, error) {
	state := SandboxState{Mode: c.Sandbox.Mode, Level: sandbox.None, Home: c.Sandbox.Home}
	if open == nil {
		return state, nil
	}
	box, err := open()
	if err != nil {
		return state, err
	}
	state.Level, state.Means, state.Missing = box.Level(), box.Means(), box.Missing()
	profile := sandbox.Profile{Network: sandbox.Network(c.Sandbox.Network)}
	if home, err := os.UserHomeDir(); err == nil && state.Home == config.HomeHidden {
		profile.Conceal = []string{home}
	}
	state.Gaps = box.Gaps(profile)
	return state, nil
}

// Off reports whether the settings switch the sandbox off.
func (s SandboxState) Off() bool { return s.Mode == config.SandboxOff || s.Mode == "" }

// Missed reports whether the settings ask for a sandbox that this machine lacks.
func (s SandboxState) Missed() bool { return !s.Off() && s.Level == sandbox.None }

// String returns the state in one line.
func (s SandboxState) String() string {
	if s.Off() {
		return "off: commands have all rights of your user; set sandbox.mode to auto"
	}
	text := string(s.Level)
	if s.Means != "" {
		text += " by " + s.Means
	}
	if s.Level != sandbox.None {
		seen := "visible except for credentials (sandbox.home)"
		if s.Home == config.HomeHidden {
			seen = "hidden except for tool chains"
		}
		text += "; the home directory is " + seen
	}
	if len(s.Missing) > 0 {
		text += "; " + strings.Join(s.Missing, "; ")
	}
	if len(s.Gaps) > 0 {
		text += "; not covered: " + strings.Join(s.Gaps, "; ")
	}
	return text
}

// LogSandbox finds the level of the sandbox, and logs it.
func (a *App) LogSandbox() {
	state, err := sandboxState(a.config.Settings, a.background.Confine.Open)
	attributes := []any{"mode", cmp.Or(state.Mode, config.SandboxOff), "level", string(state.Level)}
	switch {
	case err != nil:
		a.logger.Error("no command can run: the sandbox is required and missing", append(attributes, "err", err)...)
	case state.Off():
		a.logger.Info("commands run without a sandbox, as the settings require", attributes...)
	case state.Missed():
		a.logger.Warn("commands run without a sandbox: they have all rights of this user", append(attributes, "missing", state.Missing)...)
	default:
		a.logger.Info("commands run in the sandbox", append(attributes, "means", state.Means, "missing", state.Missing)...)
	}
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

// excludesOthers reports whether the agent cannot start another sandbox in
// this one: Landlock's filter has no namespaces, and root cannot map users in it.
func (s agentStarter) excludesOthers(uid int) bool {
	if !s.confined() {
		return false
	}
	d := s.describe()
	return d != nil && (d.Level == bellcord.SandboxLandlock || d.Level == bellcord.SandboxNamespaces && uid == 0)
}

// describe returns how the agent is confined.
func (s agentStarter) describe() *bellcord.Sandbox {
	return s.policy.Describe(s.command(proc.Command{}, nil))
}
