// Package preset knows the agents that Bellcord can host: how each is started,
// which protocol it speaks, and how its shell tool is called. For tests and for
// the prober it also knows how each is pointed at a model on this machine and
// kept from everything else: see Offline.
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
	Pi  = "pi"  // pi's own RPC
)

// Definition says how an agent is started and spoken to. The zero Home and Env
// leave it in the person's own surroundings, with the person's own settings and
// keys.
type Definition struct {
	Name     string
	Command  []string // the program, looked for on PATH, and its arguments
	Protocol string   // ACP or Pi
	Env      map[string]string
	Home     string // a directory of its own for HOME and settings, "" for the person's

	// Pass names the variables of Bellcord's environment that the agent is given:
	// its own settings and the keys that it looks for. NAME* stands for all that
	// begin so.
	Pass []string

	// Model is the one that Offline has it ask for, else "". Requests for another
	// one are errands of the agent's own.
	Model string

	// Install is the command that installs it, for those who do not have it.
	Install string

	// Renew says that what the agent keeps of a stopped turn is not what a model
	// accepts, so that its session is better given up: see child.Definition.
	Renew bool

	// ShellTool is what the agent calls its shell when it offers it to a model,
	// and ShellArgs the arguments, as JSON, that run a command with it. Both are
	// what the agent was seen to send. Without them nobody can script its model.
	ShellTool string
	ShellArgs func(command string) string
}

// Named returns the preset of this name.
func Named(name string) (Definition, bool) {
	for _, d := range All() {
		if d.Name == name {
			return d, true
		}
	}
	return Definition{}, false
}

// Find returns the path of the agent's program. The error of one that is not
// there says how to get it.
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

// Check says what is wrong with a definition that a person wrote. It looks at
// the words only: whether the program is there is what Find tells.
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
