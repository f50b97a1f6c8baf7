package setup

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"runtime"

	"github.com/bellcord/bellcord/internal/autostart"
	"github.com/bellcord/bellcord/internal/config"
)

// Service describes bellcord serve as a service of a user or of the machine.
type Service struct {
	ConfigFile   string // "" for the default file, if it exists
	Target       string // another service manager, for a dry run only
	System, User bool   // owner of the service; by default the machine for root, otherwise the user
	DryRun       bool
}

// Unit returns the service's unit.
func (s Service) Unit() (autostart.Unit, error) {
	target, err := s.target()
	if err != nil {
		return autostart.Unit{}, err
	}
	settings, err := s.unitSettings(target)
	if err != nil {
		return autostart.Unit{}, err
	}
	return autostart.New(target, settings)
}

// target returns the service manager: the named one, otherwise that of this
// machine.
func (s Service) target() (autostart.Target, error) {
	switch {
	case s.Target != "" && !s.DryRun:
		return "", errors.New("--target needs --dry-run: a service can only be installed on the machine that runs it")
	case s.Target != "":
		return autostart.Target(s.Target), nil
	case s.User && runtime.GOOS == "windows":
		return "", errors.New("services of a user account are not available on Windows: omit --user, and run the command as administrator")
	}
	return autostart.Here(s.System || !s.User && os.Geteuid() == 0)
}

// unitSettings returns the settings that a service takes from the shell that
// installs it: the paths of its configuration and data, and the user's PATH.
// It takes nothing else from the environment, because that may be a key.
func (s Service) unitSettings(target autostart.Target) (to autostart.Settings, err error) {
	if to.Program, err = os.Executable(); err != nil {
		return to, err
	}
	if to.Config, err = absolute(s.ConfigFile); err != nil {
		return to, err
	}
	usual, _ := config.File("")
	to.ConfigHome, to.Path, to.UID = filepath.Dir(filepath.Dir(usual)), os.Getenv("PATH"), os.Getuid()
	if to.Home, err = os.UserHomeDir(); err != nil {
		return to, err
	}
	switch target {
	case autostart.SystemdUser, autostart.LaunchdUser:
		err = s.personal(&to)
	case autostart.SystemdSystem:
		if to.Config == "" && config.IsFile("/etc/bellcord/config.toml") {
			to.Config = "/etc/bellcord/config.toml"
		}
	case autostart.LaunchdSystem:
		err = s.account(&to)
	case autostart.Windows:
	}
	return to, err
}

// personal adds the paths in the user's environment, because the service
// manager has a different environment.
func (s Service) personal(to *autostart.Settings) (err error) {
	if to.Config == "" {
		if file, _ := config.File(""); config.IsFile(file) {
			if to.Config, err = absolute(file); err != nil {
				return err
			}
		}
	}
	if os.Getenv("BELLCORD_DATA") == "" && os.Getenv("XDG_DATA_HOME") == "" {
		return nil
	}
	c, err := config.Load(s.ConfigFile)
	if err != nil {
		return err
	}
	to.Data, err = absolute(c.DataDir)
	return err
}

// account sets the account of a system-wide job on macOS: the user that called
// sudo. As root, every tool would have all rights.
func (s Service) account(to *autostart.Settings) error {
	to.Account = os.Getenv("SUDO_USER")
	if to.Account == "" && os.Geteuid() > 0 {
		to.Account = os.Getenv("USER")
	}
	if to.Account == "" && s.DryRun {
		to.Account = "nobody"
		return nil
	}
	if to.Account == "" || to.Account == "root" {
		return errors.New("the service would run its tools as root: install it with sudo from your own account, so that it runs as you")
	}
	if s.DryRun {
		return nil
	}
	person, err := user.Lookup(to.Account)
	if err != nil {
		return err
	}
	to.Home = person.HomeDir
	return nil
}

// absolute returns the absolute path, or "" for "".
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}
