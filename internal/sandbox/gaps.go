package sandbox

import (
	"os"
	"slices"
)

// readable returns what can be read, as a clause for people.
func readable(p Profile) string {
	if home, err := os.UserHomeDir(); err == nil && slices.Contains(p.Conceal, home) {
		return "everything outside of the home directory that is not hidden can be read"
	}
	return "everything that is not hidden can be read, such as files in the home directory"
}

// Gaps returns what the level does not protect from, given a profile. The text
// of each gap is a clause for people.
func (b *Box) Gaps(p Profile) []string {
	switch b.Level() {
	case Namespaces:
		gaps := []string{
			readable(p),
			"UNIX sockets of services outside /run, /tmp and the hidden directories can be reached",
			"the workspace's own programs can be changed, such as its Makefile and scripts",
		}
		if p.Network == On {
			gaps = append(gaps, "services on this machine can be reached over TCP and UDP")
		}
		if p.Network == On && abstractGap() {
			gaps = append(gaps, "abstract UNIX sockets of services can be reached (needs Linux 6.12)")
		}
		if len(p.ReadOnly) > 0 {
			gaps = append(gaps, "git runs the programs of a repository that a command creates in a subdirectory, if you work there",
				"a file commondir in .git, or a new submodule, is in force until the command has ended",
				"git rebase --continue runs the exec lines of a rebase that a command has begun or changed")
		}
		return gaps
	case Landlock:
		return append([]string{
			readable(p),
			"the workspace's own programs can be changed, such as its Makefile and scripts",
		}, landlockGaps(p)...)
	case Seatbelt:
		return []string{
			readable(p),
			"the workspace's own programs can be changed, such as its Makefile and scripts",
			"other processes of the user can be seen",
			"the profile was not tested on a Mac",
		}
	case None:
		return []string{"nothing: commands can do whatever the user of the server can do"}
	}
	return nil
}
