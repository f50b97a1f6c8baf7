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
		Short: "Have bellcord serve started by systemd, launchd or Windows",
		Long: `Makes bellcord serve a service that starts by itself: of the person who installs
it, or with --system of the machine, which is the default for root and the only
one on Windows. What Linux runs is watched over, may make cgroups, and has a
minute to stop its turns.

No key is written into the service. Keys belong into a file that only its owner
reads, which install makes and names.

--dry-run says what would be written and run, and changes nothing.`,
		Args: cobra.NoArgs,
	}
	install := f.command("install", "Write the service and have it start by itself from now on", f.install)
	install.Flags().BoolVar(&f.force, "force", false, "write over a service that is there")
	cmd.AddCommand(install,
		f.command("uninstall", "Stop the service and remove it; data, configuration and keys stay", f.uninstall),
		f.command("start", "Start the service", f.start),
		f.command("stop", "Stop the service until it starts by itself again", f.stop),
		f.command("status", "Say whether the service is installed and runs; exit code 3 if it does not run, 4 if there is none", f.status))
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
	flags.BoolVar(&f.system, "system", false, "the machine's service (default for root)")
	flags.BoolVar(&f.user, "user", false, "the person's own service (default for all others)")
	flags.BoolVar(&f.dry, "dry-run", false, "say what would be done, and do nothing")
	flags.StringVar(&f.target, "target", "", "with --dry-run: another `manager`, of systemd-user, systemd-system, launchd-user, launchd-system and windows")
	flags.StringVar(&f.file, "config", "", "configuration `file` of the service (default: the usual one, if it is there)")
	cmd.MarkFlagsMutuallyExclusive("system", "user", "target")
	return cmd
}

func (f *serviceFlags) install(ctx context.Context, u autostart.Unit, out io.Writer) error {
	steps, err := u.Installing(f.force)
	if f.dry && f.target != "" && errors.Is(err, autostart.ErrThere) {
		steps, err = u.Installing(true) // what is here does not matter to another machine
	}
	if err != nil {
		return err
	}
	if f.dry {
		if hidden := u.Hidden(); hidden != nil {
			fmt.Fprintln(os.Stderr, "# it would be refused:", hidden)
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
	flag := f.whose(u.Target)
	fmt.Fprintf(out, "keys:    %s (as in OPENAI_API_KEY=…; only its owner reads it)\n", u.Keys)
	fmt.Fprintf(out, "next:    bellcord service start%s\n         bellcord service status%s\nlogs:    %s\n", flag, flag, u.Logs)
	if u.Target == autostart.SystemdUser {
		fmt.Fprintln(out, "It runs while you are logged in. For always: loginctl enable-linger")
	}
	return nil
}

// checkConfig reads a configuration that was named, so that a service that
// cannot start is not installed.
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
	fmt.Fprintf(out, "removed. Data and configuration are left, and the keys in %s\n", u.Keys)
	return nil
}

func (f *serviceFlags) start(ctx context.Context, u autostart.Unit, out io.Writer) error {
	if err := f.does(ctx, u, u.Starting(), out); err != nil || f.dry {
		return err
	}
	fmt.Fprintf(out, "started. What it says: %s\n", u.Logs)
	return nil
}

func (f *serviceFlags) stop(ctx context.Context, u autostart.Unit, out io.Writer) error {
	if err := f.does(ctx, u, u.Stopping(), out); err != nil || f.dry {
		return err
	}
	fmt.Fprintln(out, "stopped.")
	return nil
}

// does the steps, or says them.
func (f *serviceFlags) does(ctx context.Context, u autostart.Unit, steps []autostart.Step, out io.Writer) error {
	if f.dry {
		autostart.Say(out, steps)
		return nil
	}
	if err := u.Reachable(ctx); err != nil {
		return err
	}
	return autostart.Do(ctx, steps)
}

// Exit codes of status, as init scripts have them.
const (
	exitNotRunning = 3
	exitNoService  = 4
)

func (f *serviceFlags) status(ctx context.Context, u autostart.Unit, out io.Writer) error {
	if f.dry {
		fmt.Fprint(out, u.Asking()) //nolint:errcheck // a terminal
		return nil
	}
	s, err := u.Status(ctx)
	if err != nil {
		return err
	}
	if !s.There {
		fmt.Fprintf(out, "not installed. bellcord service install%s does it\n", f.whose(u.Target))
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

// whose is the flag that means this target again.
func (f *serviceFlags) whose(target autostart.Target) string {
	switch system := strings.HasSuffix(string(target), "-system"); {
	case system && f.system:
		return " --system"
	case !system && f.user:
		return " --user"
	}
	return ""
}
