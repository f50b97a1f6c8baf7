package permit

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Commands that no rule allows.
var (
	// runners run other commands from their arguments, so a rule for their name
	// would allow anything.
	runners = strings.Fields(`sh bash zsh dash ash ksh mksh fish csh tcsh rbash busybox toybox env xargs parallel sudo doas su runuser
		pkexec nohup setsid setpriv timeout nice ionice chrt taskset numactl stdbuf time watch script strace ltrace gdb flock chroot
		unshare nsenter bwrap firejail systemd-run start-stop-daemon dbus-run-session xvfb-run fakeroot proot entr expect screen tmux
		at batch crontab find ssh cmd powershell pwsh start call forfiles wsl`)
	// builtins of some shell that run text, define a name or assign a variable, so
	// that later commands may run something else.
	builtins = strings.Fields(`. source eval exec command builtin trap alias unalias export readonly local declare typeset let unset
		hash enable read readarray mapfile getopts fc history bind complete compgen compopt jobs fg bg shopt emulate autoload zmodload
		setopt unsetopt functions print noglob nocorrect wait disown suspend`)
	// reserved words of some shell that the parser may parse as a command.
	reserved = strings.Fields(`[[ ]] { } ! if then else elif fi do done while until for in case esac function select coproc
		foreach end repeat namespace always rem`)
)

// harmlessSet matches the options of set that do not change which program a
// name refers to.
var harmlessSet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[-+][efux]+\z`) })

// runsOthers reports whether a command may run something other than the program
// it names, or change what later commands run.
func runsOthers(words []string) bool {
	name := strings.ToLower(words[0][strings.LastIndex(words[0], "/")+1:]) // a file system may ignore case
	switch name {
	case "printf", "test", "[": // bash evaluates the name of a variable
		return slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-v") || w == "-R" })
	case "set":
		return slices.ContainsFunc(words[1:], func(w string) bool { return !harmlessSet().MatchString(w) })
	}
	return slices.Contains(runners, name) || slices.Contains(builtins, name) || slices.Contains(reserved, name)
}
