// Package autostart installs a program as a service that starts automatically:
// a systemd unit or launchd job, of a user or the machine, or a Windows
// service. Every change is a list of steps, so that a dry run shows exactly
// what would happen. No key is ever written into a file that a service manager
// reads as the service's definition.
package autostart

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Target is a service manager and the scope of its services.
type Target string

// The targets.
const (
	SystemdUser   Target = "systemd-user"
	SystemdSystem Target = "systemd-system"
	LaunchdUser   Target = "launchd-user"
	LaunchdSystem Target = "launchd-system"
	Windows       Target = "windows"
)

// Targets returns all targets.
func Targets() []Target {
	return []Target{SystemdUser, SystemdSystem, LaunchdUser, LaunchdSystem, Windows}
}

// marker is in every text that this package writes. Only a service with the
// marker is removed.
const marker = "Written by bellcord service install"

const description = "Bellcord, an agent runtime in which stop means stopped"

// Settings are the settings of a service.
type Settings struct {
	Program string // absolute path of the program
	Config  string // configuration file, "" for the service's default
	Data    string // data directory, "" for the service's default
	Path    string // PATH of a user's service, for tools and agents
	Home    string // home directory of the user, or of the account that a system-wide job runs as
	// ConfigHome is the user's XDG_CONFIG_HOME.
	ConfigHome string
	Account    string // account of a system-wide launchd job
	UID        int    // user id of the launchd domain
	Root       string // prefix of the machine's paths; only set in tests
}

// Unit is a service for one service manager.
type Unit struct {
	Target Target
	File   string // the file that the manager reads, "" if it has its own database
	Text   string // the content of File, or the record in the database
	Keys   string // the file for keys, readable only by its owner
	Logs   string // the command that shows the service's log

	elsewhere                       []string // files of a packaged service with the same name
	install, uninstall, start, stop []Step
	hidden                          error // an error if the service could not access its files
	running                         query
	manager                         query  // whether the manager is available
	record                          record // nil if there is a file
}

// record is a service in a manager's database.
type record interface {
	found() (exists, own bool, err error)
}

// Here returns the target of this machine. On Windows, system is ignored.
func Here(system bool) (Target, error) {
	switch {
	case runtime.GOOS == "linux" && system:
		return SystemdSystem, nil
	case runtime.GOOS == "linux":
		return SystemdUser, nil
	case runtime.GOOS == "darwin" && system:
		return LaunchdSystem, nil
	case runtime.GOOS == "darwin":
		return LaunchdUser, nil
	case runtime.GOOS == "windows":
		return Windows, nil
	}
	return "", fmt.Errorf("services are not supported on %s: %s", runtime.GOOS, foreground)
}

// foreground is the alternative to a service that works on every system.
const foreground = "run bellcord serve in the foreground instead"

// New returns the unit of a target. It changes nothing.
func New(target Target, s Settings) (Unit, error) {
	for _, text := range []string{s.Program, s.Config, s.Data, s.Path, s.Home, s.ConfigHome, s.Account} {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return Unit{}, fmt.Errorf("%q cannot be used in a service: it contains a control character", text)
		}
	}
	switch target {
	case SystemdUser, SystemdSystem:
		if strings.ContainsAny(s.Program, "\"'\\") {
			return Unit{}, fmt.Errorf("systemd cannot start a program with quotes or backslashes in its path: %s", s.Program)
		}
		return systemdUnit(target, s), nil
	case LaunchdUser, LaunchdSystem:
		return launchdUnit(target, s), nil
	case Windows:
		return windowsUnit(s), nil
	}
	return Unit{}, fmt.Errorf("unknown target %q: use one of %s", target, strings.ReplaceAll(strings.Trim(fmt.Sprint(Targets()), "[]"), " ", ", "))
}

// arguments returns the program's arguments. If keys is set, the program reads
// that file itself, because the manager does not.
func (s Settings) arguments(keys string) []string {
	all := []string{"serve"}
	for _, f := range []struct{ name, value string }{{"--config", s.Config}, {"--data-dir", s.Data}, {"--env-file", keys}} {
		if f.value != "" {
			all = append(all, f.name, f.value)
		}
	}
	return slices.Clip(all)
}
