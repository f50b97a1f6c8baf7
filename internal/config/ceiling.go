package config

import (
	"fmt"
	"slices"

	"github.com/bellcord/bellcord/internal/permit"
)

// Ceiling returns an error with the name of the setting if a caller without
// the scope admin may not have a session with this mode and agent.
func (c Config) Ceiling(mode, agent string) error {
	if highest := c.maxMode(); permit.Mode(mode).Above(highest) {
		return fmt.Errorf("mode %q needs the scope admin: without it, %q is the highest (max_mode in [serve])", mode, highest)
	}
	if agent != c.Agent && !slices.Contains(c.Serve.Agents, agent) {
		return fmt.Errorf("agent %q needs the scope admin, or an entry in agents in [serve]", agent)
	}
	return nil
}

func (c Config) maxMode() permit.Mode {
	if c.Serve.MaxMode == "" {
		return permit.Mode(c.Mode)
	}
	return permit.Mode(c.Serve.MaxMode)
}

func (c Config) checkCeiling() error {
	switch highest := c.maxMode(); {
	case !highest.Valid():
		return fmt.Errorf("serve.max_mode: unknown mode %q: use read-only, ask, auto-edit or full", highest)
	case permit.Mode(c.Mode).Above(highest):
		return fmt.Errorf("mode %q is above serve.max_mode %q: lower mode or raise serve.max_mode", c.Mode, highest)
	}
	return nil
}
