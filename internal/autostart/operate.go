package autostart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Errors that callers distinguish.
var (
	ErrThere   = errors.New("a service is already installed")
	ErrMissing = errors.New("no service is installed")
	ErrForeign = errors.New("the service was not written by bellcord service install")
)

// found reports whether the service is installed and whether this package
// wrote it.
func (u Unit) found() (exists, own bool, err error) {
	if u.record != nil {
		return u.record.found()
	}
	text, err := os.ReadFile(u.File)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	return err == nil, strings.Contains(string(text), marker), err
}

// Installing returns the steps that install the service. If it is already
// installed, the error is ErrThere, unless force is set; then a file that this
// package did not write is kept as a backup.
func (u Unit) Installing(force bool) ([]Step, error) {
	exists, own, err := u.found()
	switch {
	case err != nil:
		return nil, fmt.Errorf("find the service: %w", err)
	case force && exists && !own && u.record != nil:
		return nil, fmt.Errorf("%w: %s", ErrForeign, u.place())
	case force && exists && !own:
		return append([]Step{keep(u.File)}, u.install...), nil
	case force && exists && u.record != nil: // a manager cannot have two services with the same name
		return append(append([]Step{}, u.uninstall...), u.install...), nil
	case force:
		return u.install, nil
	case exists:
		return nil, fmt.Errorf("%w: %s (--force replaces it)", ErrThere, u.place())
	}
	for _, path := range u.elsewhere {
		if _, err := os.Stat(path); err == nil {
			return nil, fmt.Errorf("%w by a package: %s (to start it: systemctl enable --now bellcord; --force installs another one that overrides it)", ErrThere, path)
		}
	}
	return u.install, nil
}

// Hidden returns an error if the service could not access its program or
// configuration, and nil otherwise.
func (u Unit) Hidden() error { return u.hidden }

// Uninstalling returns the steps that stop the service and remove what
// Installing wrote. Data, configuration and keys are kept. It returns
// ErrMissing without a service, and ErrForeign if this package did not write
// it.
func (u Unit) Uninstalling() ([]Step, error) {
	exists, own, err := u.found()
	switch {
	case err != nil:
		return nil, fmt.Errorf("find the service: %w", err)
	case !exists:
		return nil, fmt.Errorf("%w: %s not found", ErrMissing, u.place())
	case !own:
		return nil, fmt.Errorf("%w: %s was not changed", ErrForeign, u.place())
	}
	return u.uninstall, nil
}

// Starting returns the steps that start the service.
func (u Unit) Starting() []Step { return u.start }

// Stopping returns the steps that stop the service. It remains installed and
// starts again as configured.
func (u Unit) Stopping() []Step { return u.stop }

// QueryText returns a text with the query of the service's state, for a dry run.
func (u Unit) QueryText() string { return "# would be run: " + u.running.text + "\n" }

// Status is the state of a service.
type Status struct {
	There, Ours, Running bool
	File                 string // the file of the service
	Words                string // the state as the manager prints it
}

// Status returns the state of the service. It queries the manager only if the
// service is installed.
func (u Unit) Status(ctx context.Context) (s Status, err error) {
	if s.There, s.Ours, err = u.found(); err != nil {
		return s, fmt.Errorf("find the service: %w", err)
	}
	s.File = u.File
	for _, path := range u.elsewhere {
		if _, err := os.Stat(path); err == nil && !s.There {
			s.There, s.File = true, path
		}
	}
	if !s.There {
		return s, nil
	}
	if err := u.Reachable(ctx); err != nil {
		return s, err
	}
	s.Running, s.Words, err = u.running.run(ctx)
	if err != nil {
		return s, fmt.Errorf("query the state of the service: %w", err)
	}
	return s, nil
}

// Reachable returns nil if the service manager is available, otherwise an
// error with an alternative.
func (u Unit) Reachable(ctx context.Context) error {
	yes, words, err := u.manager.run(ctx)
	if yes {
		return nil
	}
	why := words
	if err != nil {
		why = err.Error()
	}
	if why == "" {
		why = "no answer"
	}
	name, _, _ := strings.Cut(string(u.Target), "-")
	scope := ""
	if u.Target == SystemdUser {
		scope = " for this user"
	}
	return fmt.Errorf("%s is not available here%s: %s: %s; %s", name, scope, u.manager.text, why, foreground)
}

// Do runs the steps in order and returns the first error.
func Do(ctx context.Context, steps []Step) error {
	for _, s := range steps {
		if err := s.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// PrintSteps writes the text of the steps. It runs none.
func PrintSteps(out io.Writer, steps []Step) {
	for _, s := range steps {
		fmt.Fprint(out, s.text) //nolint:errcheck // a terminal
	}
}

func (u Unit) place() string {
	if u.File == "" {
		return "bellcord in the service control manager"
	}
	return u.File
}
