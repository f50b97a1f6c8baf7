package autostart

import (
	"context"
	_ "embed" // the record in words
	"strings"
)

//go:embed unit/windows.txt
var windowsRecord string

const windowsKeys = `C:\ProgramData\bellcord\environment`

func windowsUnit(s Settings) Unit {
	u := Unit{Target: Windows, Keys: windowsKeys, Logs: `type C:\Windows\ServiceProfiles\LocalService\AppData\Local\bellcord\serve.log`}
	arguments := s.arguments(u.Keys)
	words := []string{quotedForWindows(s.Program)}
	for _, word := range arguments {
		words = append(words, quotedForWindows(word))
	}
	text := description + ". " + marker
	u.Text = strings.NewReplacer("@DESCRIPTION@", text, "@COMMAND@", strings.Join(words, " ")).Replace(windowsRecord)
	entry := scm{program: s.Program, arguments: arguments, description: text}
	u.record = entry
	tell := func(what string, do func() error) Step {
		return Step{text: "# would be requested from the service control manager: " + what + "\n", do: func(context.Context) error { return do() }}
	}
	u.install = []Step{
		makeKeys(u.Keys, 0o755),
		// By SID, because names of accounts are localized: SYSTEM,
		// Administrators, LocalService.
		runStep("icacls", u.Keys, "/inheritance:r", "/grant:r", "*S-1-5-18:F", "*S-1-5-32-544:F", "*S-1-5-19:R"),
		tell("create\n"+strings.TrimSuffix(u.Text, "\n"), entry.create),
	}
	u.start = []Step{tell("start bellcord", entry.start)}
	u.stop = []Step{tell("stop bellcord", entry.stop)}
	u.uninstall = []Step{tell("stop bellcord, if it runs", entry.stop), tell("delete bellcord", entry.remove)}
	u.running = query{text: "sc.exe query bellcord", run: func(context.Context) (bool, string, error) { return entry.running() }}
	u.manager = query{text: "the service control manager", run: func(context.Context) (bool, string, error) { return entry.reachable() }}
	return u
}

// scm is the service's record in the service control manager.
type scm struct {
	program, description string
	arguments            []string
}

// quotedForWindows quotes one argument of a command line.
func quotedForWindows(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\"") {
		return word
	}
	trailing := len(word) - len(strings.TrimRight(word, `\`))
	return `"` + strings.ReplaceAll(word, `"`, `\"`) + strings.Repeat(`\`, trailing) + `"`
}
