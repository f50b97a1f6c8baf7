// Package command contains what the commands of tools need: their environment,
// and outputs of any length.
package command

import (
	"os/exec"
	"runtime"
	"sync"

	"github.com/bellcord/bellcord/internal/secret"
)

// unattended are the variables of every command. Nobody can answer a command:
// programs must not open an editor or a pager, ask for a password, or draw.
// false as the editor makes git commit without a message fail; true would accept
// the proposed message of a merge unseen. CI is not set, although it silences
// some programs: it makes package managers refuse to update a lock file, test
// runners refuse to write snapshots, and some builds fail on warnings.
var unattended = []string{
	"NO_COLOR=1", "TERM=dumb",
	"PAGER=cat", "GIT_PAGER=cat", "GH_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat",
	"EDITOR=false", "VISUAL=false", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false",
	"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never",
	"GH_PROMPT_DISABLED=1", "DEBIAN_FRONTEND=noninteractive", "PIP_PROGRESS_BAR=off", "PIP_NO_INPUT=1",
}

// Environment returns the variables of a command. Later pairs replace earlier
// ones.
func Environment(env secret.Environment) []string {
	return append(env.Pairs(), unattended...)
}

// bash is the path of bash, or "" if it is not installed.
var bash = sync.OnceValue(func() string {
	path, err := exec.LookPath("bash")
	if err != nil {
		return ""
	}
	return path
})

// Interpreter returns the arguments that run a command on this machine. Models
// write for bash.
func Interpreter(command string) []string {
	if runtime.GOOS == "windows" || bash() == "" {
		return Portable(command)
	}
	return []string{bash(), "-c", command}
}

// Portable returns the arguments that run a command on an editor's machine,
// whose programs are not known.
func Portable(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/c", command}
	}
	return []string{"/bin/sh", "-c", command}
}
