package main

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/bellcord/bellcord/internal/app"
)

// runAgent runs the hosted agent's own command with more arguments in this
// terminal. Editors start a login of an agent this way.
func (s *settings) runAgent(ctx context.Context, args []string) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	if c.Agent == "" {
		return errors.New("arguments after -- need an agent: add --agent NAME")
	}
	d, err := app.AgentDefinition(c, c.Agent)
	if err != nil {
		return err
	}
	path, err := d.Find()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path, append(d.Command[1:len(d.Command):len(d.Command)], args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), app.AgentEnvironment(d)...)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	return err
}
