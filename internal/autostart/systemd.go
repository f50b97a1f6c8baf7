package autostart

import (
	_ "embed" // the units
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed unit/system.service
var systemUnit string

//go:embed unit/user.service
var userUnit string

const unitName = "bellcord.service"

func systemdUnit(target Target, s Settings) Unit {
	u := Unit{
		Target: target, Text: systemUnit,
		File: s.Root + "/etc/systemd/system/" + unitName,
		Keys: s.Root + "/etc/bellcord/environment",
		Logs: "journalctl -u bellcord",
	}
	ctl := func(args ...string) []string { return append([]string{"systemctl"}, args...) }
	command, keysDir := s, fs.FileMode(0o755)
	if target == SystemdUser {
		keysDir = 0o700
		u.Text, u.Logs = userUnit, "journalctl --user -u bellcord"
		u.File = path.Join(s.ConfigHome, "systemd", "user", unitName)
		u.Keys = path.Join(s.ConfigHome, "bellcord", "environment")
		ctl = func(args ...string) []string { return append([]string{"systemctl", "--user"}, args...) }
	} else {
		command.Data = "%S/bellcord"
		u.hidden = hidden(s.Program, s.Config)
		u.elsewhere = []string{s.Root + "/usr/lib/systemd/system/" + unitName, s.Root + "/lib/systemd/system/" + unitName}
		// Does nothing if the account exists.
		u.install = []Step{runStep("systemd-sysusers", "--inline", `u bellcord - "Bellcord" /var/lib/bellcord /usr/sbin/nologin`)}
	}
	u.Text = strings.NewReplacer(
		"@COMMAND@", command.execStart(target == SystemdSystem),
		"@KEYS@", specified(u.Keys),
		"@PATH@", quotedForSystemd("PATH="+s.Path),
	).Replace(u.Text)
	u.install = append([]Step{writeStep(u.File, u.Text), makeKeys(u.Keys, keysDir)}, append(u.install, runStep(ctl("daemon-reload")...), runStep(ctl("enable", unitName)...))...)
	u.uninstall = []Step{runStep(ctl("disable", "--now", unitName)...), remove(u.File), runStep(ctl("daemon-reload")...)}
	u.start = []Step{runStep(ctl("start", unitName)...)}
	u.stop = []Step{runStep(ctl("stop", unitName)...)}
	u.running = commandQuery(ctl("is-active", unitName), "active", "activating", "reloading", "deactivating")
	u.manager = commandQuery(ctl("is-system-running"), "running", "degraded", "starting", "initializing", "maintenance", "stopping")
	return u
}

// hidden returns an error for the first file that the system-wide unit could
// not access: home and temporary directories are hidden from the service.
func hidden(files ...string) error {
	for _, file := range files {
		for _, dir := range []string{"/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"} {
			if strings.HasPrefix(file, dir) {
				return fmt.Errorf("the service has no access to %s, where %s is: move it elsewhere, such as /usr/local/bin or /etc/bellcord", dir, file)
			}
		}
	}
	return nil
}

// execStart returns the command in the syntax of a unit. In the system-wide
// unit, the data directory is a specifier and is not escaped.
func (s Settings) execStart(dataSpecified bool) string {
	words := []string{quotedForSystemd(s.Program)}
	for _, word := range s.arguments("") {
		switch {
		case dataSpecified && word == s.Data:
		case strings.ContainsAny(word, " '\"\\%$;"):
			word = strings.ReplaceAll(quotedForSystemd(word), "$", "$$") // variables are not expanded
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// specified escapes specifiers in a value.
func specified(value string) string { return strings.ReplaceAll(value, "%", "%%") }

// quotedForSystemd quotes one argument.
func quotedForSystemd(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(word) + `"`
}
