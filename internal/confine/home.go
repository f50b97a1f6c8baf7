package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/sandbox"
)

// HidesHome reports whether commands of the shell tool see only a part of the home
// directory. p may be nil.
func (p *Policy) HidesHome() bool { return p != nil && p.Home != "" && len(p.Tools) > 0 }

// conceal adds to a profile what commands of the shell tool cannot see: credentials,
// and the home directory if the settings hide it.
func (p *Policy) conceal(profile *sandbox.Profile, dirs []string) {
	for _, secret := range p.Secrets {
		inside := slices.DeleteFunc(slices.Clone(p.Show), func(path string) bool { return !contains(secret, path) })
		switch {
		case len(inside) == 0:
			profile.Hide = append(profile.Hide, p.withTargets(secret)...)
		case !slices.Contains(inside, secret):
			profile.Conceal = append(profile.Conceal, secret)
			profile.Read = append(profile.Read, inside...)
		}
	}
	if !p.HidesHome() {
		return
	}
	profile.Conceal = append(profile.Conceal, p.Home)
	profile.Read = slices.Concat(profile.Read, p.Tools, p.Show)
	for _, dir := range dirs {
		if root := repositoryAround(p.Home, dir); root != "" {
			profile.Read = append(profile.Read, root)
		}
	}
}

// withTargets adds where links in hidden paths led when it was first called. A command
// in the background can have removed such a link since.
func (p *Policy) withTargets(hidden ...string) []string {
	p.once.Do(func() {
		p.targets = map[string]string{}
		home := realdir.Resolve(p.Home)
		for _, path := range slices.Concat(p.Hide, p.Secrets) {
			expected := path
			if rest, inHome := strings.CutPrefix(path, p.Home+"/"); inHome && p.Home != "" {
				expected = filepath.Join(home, rest)
			}
			if target := realdir.Resolve(path); target != expected {
				p.targets[path] = target
			}
		}
	})
	all := slices.Clone(hidden)
	for _, path := range hidden {
		if target, linked := p.targets[path]; linked {
			all = append(all, target)
		}
	}
	return all
}

// repositoryAround returns the root of the repository in which a directory is, or "".
// A build in a part of a repository needs files of the others. A home directory that
// is a repository does not count.
func repositoryAround(home, dir string) string {
	if real, err := filepath.EvalSymlinks(home); err == nil && contains(real, dir) {
		home = real
	}
	for at := filepath.Dir(dir); at != home && contains(home, at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return ""
}

// Toolchains returns the paths in the home directory that commands need: tool chains
// and the settings of git, as the lists of this package and the environment name them.
func Toolchains(home string) []string {
	var all []string
	for _, g := range toolchains() {
		for _, line := range g.lines {
			if name, rest, named := variable(line); named {
				all = append(all, inHome(home, namedPlaces(home, name, rest))...)
			} else if strings.Contains(line, "*") {
				found, _ := filepath.Glob(filepath.Join(home, line)) // the pattern is valid
				all = append(all, found...)
			} else {
				all = append(all, belowHome(home, line)...)
			}
		}
	}
	return distinct(all)
}

// inHome returns the paths in the home directory. A directory of programs stands for
// the tool chain that it is a part of.
func inHome(home string, paths []string) []string {
	var all []string
	for _, path := range paths {
		if !contains(home, path) {
			continue
		}
		if parent := filepath.Dir(path); parent != home && isToolchain(path, parent) {
			path = parent
		}
		all = append(all, path)
	}
	return all
}

// isToolchain reports whether the parent of a directory of programs contains what
// these programs need. That of ~/.local/bin contains much more.
func isToolchain(dir, parent string) bool {
	if filepath.Base(parent) == ".local" {
		return false
	}
	if filepath.Base(dir) == ".bin" { // its links lead to packages beside it
		return true
	}
	if filepath.Base(dir) != "bin" {
		return false
	}
	for _, name := range []string{"lib", "libexec", "pkg"} {
		if info, err := os.Stat(filepath.Join(parent, name)); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

func distinct(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}
