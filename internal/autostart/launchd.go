package autostart

import (
	_ "embed" // the job
	"fmt"
	"path"
	"strings"
)

//go:embed unit/launchd.plist
var launchdJob string

const label = "dev.bellcord.bellcord"

func launchdUnit(target Target, s Settings) Unit {
	domain := fmt.Sprintf("gui/%d", s.UID)
	log := path.Join(s.Home, "Library", "Logs", "bellcord.log")
	u := Unit{
		Target: target,
		File:   path.Join(s.Home, "Library", "LaunchAgents", label+".plist"),
		Keys:   path.Join(s.ConfigHome, "bellcord", "environment"),
		Logs:   shown([]string{"tail", "-f", log}),
	}
	account := ""
	var owned []Step
	if target == LaunchdSystem {
		domain = "system"
		u.File = s.Root + "/Library/LaunchDaemons/" + label + ".plist"
		u.Keys = s.Root + "/Library/Application Support/bellcord/environment"
		account = "\t<key>UserName</key>\n\t<string>" + inXML(s.Account) + "</string>\n"
		// The job reads the file itself, as that account.
		owned = []Step{runStep("chown", "-R", s.Account, path.Dir(u.Keys))}
	}
	var arguments strings.Builder
	for _, word := range append([]string{s.Program}, s.arguments(u.Keys)...) {
		fmt.Fprintf(&arguments, "\t\t<string>%s</string>\n", inXML(word))
	}
	u.Text = strings.NewReplacer(
		"@ARGUMENTS@", arguments.String(), "@ACCOUNT@", account,
		"@HOME@", inXML(s.Home), "@PATH@", inXML(s.Path), "@LOG@", inXML(log),
	).Replace(launchdJob)

	job := domain + "/" + label
	loaded := commandQuery([]string{"launchctl", "print", job})
	u.running = finds([]string{"launchctl", "print", job}, "state = running")
	u.manager = commandQuery([]string{"launchctl", "print", domain})
	// The job is loaded at the next login, or by start.
	u.install = append([]Step{writeStep(u.File, u.Text), makeKeys(u.Keys, 0o700)}, append(owned, runStep("launchctl", "enable", job))...)
	u.start = []Step{given(loaded, false, runStep("launchctl", "bootstrap", domain, u.File)), runStep("launchctl", "kickstart", job)}
	u.stop = []Step{given(loaded, true, runStep("launchctl", "bootout", job))}
	u.uninstall = append(append([]Step{}, u.stop...), remove(u.File))
	return u
}

func inXML(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
