package main

import (
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/bellcord/bellcord/internal/autostart"
	"github.com/bellcord/bellcord/internal/config"
)

// unit is the service that the flags mean.
func (f *serviceFlags) unit() (autostart.Unit, error) {
	target, err := f.chosen()
	if err != nil {
		return autostart.Unit{}, err
	}
	s, err := f.unitSettings(target)
	if err != nil {
		return autostart.Unit{}, err
	}
	return autostart.New(target, s)
}

func (f *serviceFlags) chosen() (autostart.Target, error) {
	switch {
	case f.target != "" && !f.dry:
		return "", errors.New("--target is for --dry-run: a service is installed for the machine that it is on")
	case f.target != "":
		return autostart.Target(f.target), nil
	case f.user && runtime.GOOS == "windows":
		return "", errors.New("there are services of the machine only on Windows: leave --user out, and be an administrator")
	}
	return autostart.Here(f.system || !f.user && os.Geteuid() == 0)
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

// unitSettings are what a service gets of the shell that installs it: where its
// configuration and data are, and a person's PATH. Of all else in the
// environment nothing is taken, because it may be a key.
func (f *serviceFlags) unitSettings(target autostart.Target) (s autostart.Settings, err error) {
	if s.Program, err = os.Executable(); err != nil {
		return s, err
	}
	if s.Config, err = whole(f.file); err != nil {
		return s, err
	}
	usual, _ := config.File("")
	s.ConfigHome, s.Path, s.UID = filepath.Dir(filepath.Dir(usual)), os.Getenv("PATH"), os.Getuid()
	if s.Home, err = os.UserHomeDir(); err != nil {
		return s, err
	}
	switch target {
	case autostart.SystemdUser, autostart.LaunchdUser:
		return s, f.personal(&s)
	case autostart.SystemdSystem:
		if s.Config == "" && isFile("/etc/bellcord/config.toml") {
			s.Config = "/etc/bellcord/config.toml"
		}
	case autostart.LaunchdSystem:
		return s, f.account(&s)
	case autostart.Windows:
	}
	return s, nil
}

// personal says what the person's environment says of places, because a manager
// has another environment.
func (f *serviceFlags) personal(s *autostart.Settings) (err error) {
	if s.Config == "" {
		if file, _ := config.File(""); isFile(file) {
			if s.Config, err = whole(file); err != nil {
				return err
			}
		}
	}
	if os.Getenv("BELLCORD_DATA") == "" && os.Getenv("XDG_DATA_HOME") == "" {
		return nil
	}
	c, err := config.Load(f.file)
	if err != nil {
		return err
	}
	s.Data, err = whole(c.Data)
	return err
}

// account is whose rights a job of the machine has on macOS: those of the person
// behind sudo. Root's would be those of every tool.
func (f *serviceFlags) account(s *autostart.Settings) error {
	s.Account = os.Getenv("SUDO_USER")
	if s.Account == "" && os.Geteuid() > 0 {
		s.Account = os.Getenv("USER")
	}
	if s.Account == "" && f.dry {
		s.Account = "nobody"
		return nil
	}
	if s.Account == "" || s.Account == "root" {
		return errors.New("its tools would have all of root's rights: install it with sudo, then it runs as you")
	}
	if f.dry {
		return nil
	}
	person, err := user.Lookup(s.Account)
	if err != nil {
		return err
	}
	s.Home = person.HomeDir
	return nil
}
