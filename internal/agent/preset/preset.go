// Package preset contains definitions of the agents that Bellcord can host: the
// command that starts each one, its protocol, and the name of its shell tool.
// For tests and for the prober, Offline also configures an agent to use a model
// on this machine and nothing else.
package preset

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The protocols of hosted agents.
const (
	ACP = "acp" // the Agent Client Protocol, version 1
	Pi  = "pi"  // the RPC protocol of pi
)

// Definition describes how to start an agent and which protocol it uses. With
// an empty Home and Env the agent runs with the settings and keys of the user.
type Definition struct {
	Name     string
	Command  []string // the program, resolved on PATH, and its arguments
	Protocol string   // ACP or Pi
	Env      map[string]string
	Home     string // a separate directory for HOME and settings; "" for the user's

	// Pass lists the variables of Bellcord's environment that are passed to the
	// agent: its settings and keys. NAME* matches all variables with that prefix.
	Pass []string

	// Model is the model that Offline configures, otherwise "". Requests for a
	// different model are side requests of the agent.
	Model string

	// Install is the command that installs the agent, or an instruction.
	Install string

	// InSandbox are the variables for a process in a sandbox in which the agent
	// cannot start another one.
	InSandbox map[string]string

	// SandboxedMode is the only mode of the agent that works in such a sandbox; ""
	// if every mode does.
	SandboxedMode string

	// Renew reports that models reject the history the agent keeps after a stopped
	// turn, so its session must be replaced: see child.Definition.
	Renew bool

	// ShellTool is the name of the shell tool that the agent offers to a model,
	// and ShellArgs returns the arguments, as JSON, that run a command with it.
	// Both match requests observed from the agent. Scripting its model requires
	// them.
	ShellTool string
	ShellArgs func(command string) string
}

// Named returns the preset with this name, and whether it exists.
func Named(name string) (Definition, bool) {
	for _, d := range All() {
		if d.Name == name {
			return d, true
		}
	}
	return Definition{}, false
}

// Find returns the path of the agent's program. If the program is not on PATH,
// the error wraps exec.ErrNotFound and contains Install.
func (d Definition) Find() (string, error) {
	if len(d.Command) == 0 {
		return "", fmt.Errorf("finding agent %s: it has no command", d.Name)
	}
	path, err := exec.LookPath(d.Command[0])
	switch {
	case err == nil:
		return path, nil
	case !errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("finding agent %s: %w", d.Name, err)
	case d.Install == "":
		return "", fmt.Errorf("finding agent %s: %s is not on PATH: %w", d.Name, d.Command[0], exec.ErrNotFound)
	}
	return "", fmt.Errorf("finding agent %s: %s is not on PATH; to install it: %s: %w", d.Name, d.Command[0], d.Install, exec.ErrNotFound)
}

var properName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// Check returns an error for an invalid definition. It checks only the values;
// Find checks whether the program exists.
func (d Definition) Check() error {
	if !properName.MatchString(d.Name) {
		return fmt.Errorf("agent %q: a name has only lower-case letters, digits, dots, dashes and underscores", d.Name)
	}
	if len(d.Command) == 0 || d.Command[0] == "" {
		return fmt.Errorf("agent %s: command is missing", d.Name)
	}
	if slices.ContainsFunc(d.Command, func(word string) bool { return strings.ContainsRune(word, 0) }) {
		return fmt.Errorf("agent %s: command contains a NUL byte", d.Name)
	}
	if d.Protocol != ACP && d.Protocol != Pi {
		return fmt.Errorf("agent %s: protocol is %q, must be %q or %q", d.Name, d.Protocol, ACP, Pi)
	}
	if d.Home != "" && !filepath.IsAbs(d.Home) {
		return fmt.Errorf("agent %s: home %q is not an absolute path", d.Name, d.Home)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(d.Env[name], 0) {
			return fmt.Errorf("agent %s: env %q is not a valid variable", d.Name, name)
		}
	}
	return nil
}
