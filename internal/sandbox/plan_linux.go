package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/sandbox/stage"
)

// The port of the proxy inside a network namespace, where every port is free.
const proxyPort = 3128

// privateDirs are the directories of which each session or command has its own.
var privateDirs = []string{"/tmp", "/var/tmp"}

// steps returns the mounts of a profile, parents first. Of several steps for one
// path, the one that allows least counts.
func steps(p Profile) []stage.Step {
	all := []stage.Step{{Kind: stage.Devices, Path: "/dev", Size: p.TmpBytes}, {Kind: stage.Proc, Path: "/proc"}}
	for i, dir := range privateDirs {
		step := stage.Step{Kind: stage.Private, Size: p.TmpBytes}
		if source := []string{p.Tmp, p.VarTmp}[i]; source != "" {
			step = stage.Step{Kind: stage.Bind, Source: source}
		}
		for _, step.Path = range resolve([]string{dir}) {
			all = append(all, step)
		}
	}
	for _, path := range resolve([]string{"/run", "/var/run"}) { // sockets of services
		all = append(all, stage.Step{Kind: stage.HideDir, Path: path})
	}
	if p.Network == On {
		for _, path := range resolve([]string{"/run/systemd/resolve"}) { // the target of /etc/resolv.conf
			all = append(all, stage.Step{Kind: stage.ReadOnly, Path: path})
		}
	}
	for _, path := range p.Write {
		all = append(all, stage.Step{Kind: stage.Write, Path: path})
	}
	for _, path := range p.ReadOnly {
		all = append(all, stage.Step{Kind: stage.ReadOnly, Path: path})
	}
	for _, path := range p.Hide {
		all = append(all, stage.Step{Kind: hideKind(path), Path: path})
	}
	return ordered(all)
}

func hideKind(path string) stage.Kind {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return stage.HideDir
	}
	return stage.HideFile
}

func ordered(all []stage.Step) []stage.Step {
	rank := func(k stage.Kind) int { return strings.IndexByte("tbdpwrhn", byte(k)) }
	slices.SortStableFunc(all, func(a, b stage.Step) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), rank(b.Kind)-rank(a.Kind))
	})
	return slices.CompactFunc(all, func(a, b stage.Step) bool { return a.Path == b.Path })
}

// rules returns what Landlock allows. Its rules permit and never refuse: to
// hide a path, everything next to the path and next to its parents is allowed.
// Those parents themselves cannot be listed.
func rules(p Profile, temp string) []stage.Rule {
	hidden := make(map[string]bool)
	way := make(map[string]bool)
	for _, path := range p.Hide {
		hidden[path] = true
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			way[dir] = true
			if dir == "/" {
				break
			}
		}
	}
	var all []stage.Rule
	var allow func(path string, access uint64)
	allow = func(path string, access uint64) {
		switch {
		case hidden[path]:
		case way[path]:
			entries, _ := os.ReadDir(path) // what cannot be listed here cannot be read, either
			for _, e := range entries {
				if e.Type()&os.ModeSymlink == 0 {
					allow(filepath.Join(path, e.Name()), access)
				}
			}
		default:
			all = append(all, stage.Rule{Path: path, Access: access})
		}
	}
	allow("/", stage.ReadAccess)
	for _, path := range slices.Concat(p.Write, []string{temp}) {
		allow(path, stage.WriteAccess)
	}
	for _, path := range p.ReadOnly {
		all = append(all, stage.Rule{Path: path, Access: stage.ReadAccess})
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"} {
		all = append(all, stage.Rule{Path: "/dev/" + name, Access: stage.ReadFile | stage.WriteFile | stage.ReadDir | stage.IoctlDev})
	}
	return all
}
