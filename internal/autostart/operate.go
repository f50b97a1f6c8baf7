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

// What a caller decides on.
var (
	ErrThere   = errors.New("a service is already installed")
	ErrMissing = errors.New("no service is installed")
	ErrForeign = errors.New("the service was not written by bellcord service install")
)

// found looks for the service where the manager does.
func (u Unit) found() (there, ours bool, err error) {
	if u.record != nil {
		return u.record.found()
	}
	text, err := os.ReadFile(u.File)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	return err == nil, strings.Contains(string(text), marker), err
}

// Installing are the steps to the service. One that is there already is left
// alone, unless it is forced; what somebody else wrote is kept then.
func (u Unit) Installing(force bool) ([]Step, error) {
	there, ours, err := u.found()
	switch {
	case err != nil:
		return nil, fmt.Errorf("find the service: %w", err)
	case force && there && !ours && u.record != nil:
		return nil, fmt.Errorf("%w: %s", ErrForeign, u.place())
	case force && there && !ours:
		return append([]Step{keep(u.File)}, u.install...), nil
	case force && there && u.record != nil: // a manager has no two of a name
		return append(append([]Step{}, u.uninstall...), u.install...), nil
	case force:
		return u.install, nil
	case there:
		return nil, fmt.Errorf("%w: %s (--force replaces it)", ErrThere, u.place())
	}
	for _, path := range u.elsewhere {
		if _, err := os.Stat(path); err == nil {
			return nil, fmt.Errorf("%w by a package: %s (to start it: systemctl enable --now bellcord; --force installs another one that overrides it)", ErrThere, path)
		}
	}
	return u.install, nil
}

// Hidden says why the service could not start where it is shut in, or is nil.
func (u Unit) Hidden() error { return u.hidden }

// Uninstalling are the steps that stop the service and remove what Installing
// wrote, and nothing else: data, configuration and keys stay.
func (u Unit) Uninstalling() ([]Step, error) {
	there, ours, err := u.found()
	switch {
	case err != nil:
		return nil, fmt.Errorf("find the service: %w", err)
	case !there:
		return nil, fmt.Errorf("%w: %s not found", ErrMissing, u.place())
	case !ours:
		return nil, fmt.Errorf("%w: %s was not changed", ErrForeign, u.place())
	}
	return u.uninstall, nil
}

// Starting are the steps that start it.
func (u Unit) Starting() []Step { return u.start }

// Stopping are the steps that stop it, until it starts by itself again.
func (u Unit) Stopping() []Step { return u.stop }

// Asking is how the manager is asked whether the service runs.
func (u Unit) Asking() string { return "# would be run: " + u.running.says + "\n" }

// Status is how a service is.
type Status struct {
	There, Ours, Running bool
	File                 string // where it was found
	Words                string // the manager's own
}

// Status asks the manager.
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
	s.Running, s.Words, err = u.running.ask(ctx)
	if err != nil {
		return s, fmt.Errorf("query the state of the service: %w", err)
	}
	return s, nil
}

// Reachable is nil where the service manager runs and answers us, else it says
// what to do without.
func (u Unit) Reachable(ctx context.Context) error {
	yes, words, err := u.manager.ask(ctx)
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
	whose := ""
	if u.Target == SystemdUser {
		whose = " for this user"
	}
	return fmt.Errorf("%s is not available here%s: %s: %s; %s", name, whose, u.manager.says, why, foreground)
}

// Do does the steps in order, up to the first that fails.
func Do(ctx context.Context, steps []Step) error {
	for _, s := range steps {
		if err := s.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Say says the steps and does none of them.
func Say(out io.Writer, steps []Step) {
	for _, s := range steps {
		fmt.Fprint(out, s.says) //nolint:errcheck // a terminal
	}
}

func (u Unit) place() string {
	if u.File == "" {
		return "bellcord in the service control manager"
	}
	return u.File
}
