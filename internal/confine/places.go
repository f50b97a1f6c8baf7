package confine

import (
	_ "embed" // the lists
	"os"
	"path/filepath"
	"strings"
	"sync"
)

var (
	//go:embed credentials.txt
	credentialsText string
	//go:embed toolchains.txt
	toolchainsText string

	credentials = sync.OnceValue(func() []group { return parseGroups(credentialsText) })
	toolchains  = sync.OnceValue(func() []group { return parseGroups(toolchainsText) })
)

// group is a part of a list, with a name for people. Its lines are paths below the
// home directory, or begin with a variable such as $CARGO_HOME.
type group struct {
	name  string
	lines []string
}

// parseGroups parses one of the lists.
func parseGroups(text string) []group {
	var all []group
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			all = append(all, group{name: strings.Trim(line, "[]")})
		default:
			last := &all[len(all)-1]
			last.lines = append(last.lines, line)
		}
	}
	return all
}

// Credentials returns the files and directories with credentials of the user with
// this home directory, and those that the environment of this process names.
func Credentials(home string) []string {
	var all []string
	for _, g := range credentials() {
		for _, line := range g.lines {
			if name, rest, named := variable(line); named {
				all = append(all, namedPlaces(home, name, rest)...)
			} else {
				all = append(all, belowHome(home, line)...)
			}
		}
	}
	return distinct(all)
}

// variable splits a line that begins with a variable.
func variable(line string) (name, rest string, named bool) {
	if line, named = strings.CutPrefix(line, "$"); named {
		name, rest, _ = strings.Cut(line, "/")
	}
	return name, rest, named
}

// xdg are the variables that move a part of the home directory.
var xdg = []struct{ below, name string }{
	{".config/", "XDG_CONFIG_HOME"},
	{".local/share/", "XDG_DATA_HOME"},
	{".local/state/", "XDG_STATE_HOME"},
	{".cache/", "XDG_CACHE_HOME"},
}

// belowHome returns a path below the home directory, and the path to which a variable
// moves it.
func belowHome(home, path string) []string {
	all := below(home, path)
	for _, x := range xdg {
		if rest, moved := strings.CutPrefix(path, x.below); moved {
			all = append(all, namedPlaces(home, x.name, rest)...)
		}
	}
	return all
}

// namedPlaces returns the paths that a variable of the environment names. A path
// that contains the home directory, or is directly below the root, is ignored: no
// command could work without it. So are devices and sockets that each command has
// on its own.
func namedPlaces(home, name, rest string) []string {
	var all []string
	for _, path := range filepath.SplitList(os.Getenv(name)) { // also of unix:///path and FILE:/path
		if !filepath.IsAbs(path) {
			continue
		}
		path = filepath.Join(path, filepath.FromSlash(rest))
		if filepath.Dir(path) != filepath.Dir(filepath.Dir(path)) && !contains(path, home) && !isPrivate(path) {
			all = append(all, path)
		}
	}
	return all
}

// isPrivate reports whether no command sees the path of the machine.
func isPrivate(path string) bool {
	for _, dir := range []string{"/dev", "/proc", "/run", "/var/run"} {
		if contains(dir, path) {
			return true
		}
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeSocket != 0 && contains(os.TempDir(), path)
}

// below returns paths below the home directory.
func below(home string, names ...string) []string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		all = append(all, filepath.Join(home, filepath.FromSlash(name)))
	}
	return all
}
