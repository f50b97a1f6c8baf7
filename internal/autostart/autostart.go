// Package autostart makes a program a service that starts by itself: a unit of
// systemd or a job of launchd, a person's or the machine's, or a service of
// Windows. What is done is a list of steps, so that what a dry run says is what
// would happen. No key is ever written into what a service manager reads.
package autostart

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Target is a service manager, and whose services it runs.
type Target string

// The targets.
const (
	SystemdUser   Target = "systemd-user"
	SystemdSystem Target = "systemd-system"
	LaunchdUser   Target = "launchd-user"
	LaunchdSystem Target = "launchd-system"
	Windows       Target = "windows"
)

// Targets are all that there are.
func Targets() []Target {
	return []Target{SystemdUser, SystemdSystem, LaunchdUser, LaunchdSystem, Windows}
}

// marker is in every text that we write: what has it is ours to remove.
const marker = "Written by bellcord service install"

const description = "Bellcord, an agent runtime in which stop means stopped"

// Settings are what a service is made from.
type Settings struct {
	Program string // the whole path of the program that serves
	Config  string // the configuration's, "" for what the service finds itself
	Data    string // the data directory's, "" likewise
	Path    string // where a person's service finds tools and agents
	Home    string // of the person, or of the account that a job of the machine runs as
	// ConfigHome is the person's XDG_CONFIG_HOME.
	ConfigHome string
	Account    string // who a job of launchd for the machine runs as
	UID        int    // whose launchd it is
	Root       string // in front of the machine's own paths; "" but in tests
}

// Unit is a service as one manager knows it.
type Unit struct {
	Target Target
	File   string // where the manager reads it, "" where it keeps its own records
	Text   string // what it reads
	Keys   string // the file for keys, which only its owner reads
	Logs   string // the command that shows what the service says

	elsewhere                       []string // where a package may have put one of the same name
	install, uninstall, start, stop []Step
	hidden                          error // a file that the service would not see
	running                         question
	manager                         question // whether there is one to ask at all
	record                          record   // nil where there is a file
}

// record is a service that a manager keeps itself, in no file.
type record interface {
	found() (there, ours bool, err error)
}

// Here is the target of this machine. A person's own is not to be had on every
// system.
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

// foreground is what works everywhere.
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

// arguments are those of the program. A manager that reads no file of keys has
// the program do it.
func (s Settings) arguments(keys string) []string {
	all := []string{"serve"}
	for _, f := range []struct{ name, value string }{{"--config", s.Config}, {"--data-dir", s.Data}, {"--env-file", keys}} {
		if f.value != "" {
			all = append(all, f.name, f.value)
		}
	}
	return slices.Clip(all)
}
