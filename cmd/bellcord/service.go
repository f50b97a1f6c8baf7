package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/internal/app/setup"
	"github.com/bellcord/bellcord/internal/autostart"
)

type serviceFlags struct {
	file, target      string
	system, user, dry bool
	force             bool
}

func serviceCommand() *cobra.Command {
	var f serviceFlags
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Run bellcord serve as a systemd, launchd or Windows service",
		Long: `Makes bellcord serve a service that starts automatically: a service of your user
account, or with --system a service of the machine, which is the default for root and
the only kind on Windows. On Linux a watchdog restarts the service when it hangs, it
may create cgroups, and it has a minute to stop its turns.

No key is written to the service definition. Keys belong in a file that only its
owner can read; install creates that file and prints its path.

--dry-run prints what would be written and run, and changes nothing.`,
		Args: cobra.NoArgs,
	}
	install := f.command("install", "Install the service so that it starts automatically", f.install)
	install.Flags().BoolVar(&f.force, "force", false, "replace an existing service")
	status := f.command("status", "Show whether the service is installed and running", f.status)
	status.Long = `Shows whether the service is installed and running. The exit code is 3 if it is not
running, and 4 if it is not installed.`
	cmd.AddCommand(install,
		f.command("uninstall", "Stop and remove the service; keep data, settings and keys", f.uninstall),
		f.command("start", "Start the service", f.startService),
		f.command("stop", "Stop the service until its next automatic start", f.stopService),
		status)
	return cmd
}

func (f *serviceFlags) command(name, short string, do func(context.Context, autostart.Unit, io.Writer) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			u, err := setup.Service{ConfigFile: f.file, Target: f.target, System: f.system, User: f.user, DryRun: f.dry}.Unit()
			if err != nil {
				return err
			}
			return do(cmd.Context(), u, os.Stdout)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.system, "system", false, "use the machine's service (default for root)")
	flags.BoolVar(&f.user, "user", false, "use the service of your user account (default for all other users)")
	flags.BoolVar(&f.dry, "dry-run", false, "print what would be done, and change nothing")
	flags.StringVar(&f.target, "target", "", "with --dry-run: service `manager` of another machine: systemd-user, systemd-system, launchd-user, launchd-system or windows")
	flags.StringVar(&f.file, "config", "", "configuration `file` of the service (default: the usual one, if it exists)")
	cmd.MarkFlagsMutuallyExclusive("system", "user", "target")
	return cmd
}

func (f *serviceFlags) install(ctx context.Context, u autostart.Unit, out io.Writer) error {
	steps, err := u.Installing(f.force)
	if f.dry && f.target != "" && errors.Is(err, autostart.ErrThere) {
		steps, err = u.Installing(true) // an installation here does not matter for another machine
	}
	if err != nil {
		return err
	}
	if f.dry {
		if hidden := u.Hidden(); hidden != nil {
			fmt.Fprintln(os.Stderr, "# would be refused:", hidden)
		}
		return f.does(ctx, u, steps, out)
	}
	if err := errors.Join(u.Hidden(), f.checkConfig()); err != nil {
		return err
	}
	if err := f.does(ctx, u, steps, out); err != nil {
		return err
	}
	if u.File != "" {
		fmt.Fprintf(out, "written: %s\n", u.File)
	}
	flag := f.targetFlag(u.Target)
	fmt.Fprintf(out, "keys:    %s (add lines such as OPENAI_API_KEY=…; only its owner can read it)\n", u.Keys)
	fmt.Fprintf(out, "next:    bellcord service start%s\n         bellcord service status%s\nlogs:    %s\n", flag, flag, u.Logs)
	if u.Target == autostart.SystemdUser {
		fmt.Fprintln(out, "It runs while you are logged in. To run it always: loginctl enable-linger")
	}
	return nil
}

// checkConfig loads a configuration given by flag, so that a service that cannot start is not
// installed.
func (f *serviceFlags) checkConfig() error {
	if f.file == "" {
		return nil
	}
	s := settings{file: f.file}
	_, err := s.load()
	return err
}

func (f *serviceFlags) uninstall(ctx context.Context, u autostart.Unit, out io.Writer) error {
	steps, err := u.Uninstalling()
	if errors.Is(err, autostart.ErrMissing) {
		fmt.Fprintln(out, err)
		return nil
	} else if err != nil {
		return err
	}
	if err := f.does(ctx, u, steps, out); err != nil || f.dry {
		return err
	}
	fmt.Fprintf(out, "removed. Data, configuration and the keys in %s are kept\n", u.Keys)
	return nil
}

func (f *serviceFlags) startService(ctx context.Context, u autostart.Unit, out io.Writer) error {
	if err := f.does(ctx, u, u.Starting(), out); err != nil || f.dry {
		return err
	}
	fmt.Fprintf(out, "started. Logs: %s\n", u.Logs)
	return nil
}

func (f *serviceFlags) stopService(ctx context.Context, u autostart.Unit, out io.Writer) error {
	if err := f.does(ctx, u, u.Stopping(), out); err != nil || f.dry {
		return err
	}
	fmt.Fprintln(out, "stopped.")
	return nil
}

// does executes the steps, or prints them with --dry-run.
func (f *serviceFlags) does(ctx context.Context, u autostart.Unit, steps []autostart.Step, out io.Writer) error {
	if f.dry {
		autostart.PrintSteps(out, steps)
		return nil
	}
	if err := u.Reachable(ctx); err != nil {
		return err
	}
	return autostart.Do(ctx, steps)
}

// Exit codes of status, following the LSB convention for init scripts.
const (
	exitNotRunning = 3
	exitNoService  = 4
)

func (f *serviceFlags) status(ctx context.Context, u autostart.Unit, out io.Writer) error {
	if f.dry {
		fmt.Fprint(out, u.QueryText()) //nolint:errcheck // a terminal
		return nil
	}
	s, err := u.Status(ctx)
	if err != nil {
		return err
	}
	if !s.There {
		fmt.Fprintf(out, "not installed. To install it: bellcord service install%s\n", f.targetFlag(u.Target))
		return exitCode(exitNoService)
	}
	fmt.Fprintln(out, s.Words)
	if s.File != "" {
		fmt.Fprintf(out, "file:    %s\n", s.File)
	}
	fmt.Fprintf(out, "keys:    %s\nlogs:    %s\n", u.Keys, u.Logs)
	if !s.Running {
		return exitCode(exitNotRunning)
	}
	return nil
}

// targetFlag returns the flag that selects this target in another command.
func (f *serviceFlags) targetFlag(target autostart.Target) string {
	switch system := strings.HasSuffix(string(target), "-system"); {
	case system && f.system:
		return " --system"
	case !system && f.user:
		return " --user"
	}
	return ""
}
