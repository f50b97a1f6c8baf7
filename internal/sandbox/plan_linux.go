package sandbox

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/sandbox/stage"
)

// The port of the proxy inside a network namespace, where every port is free.
const proxyPort = 3128

// privateDirs are the directories of which each session or command has its own.
var privateDirs = []string{"/tmp", "/var/tmp"}

// step is a mount with the open file at its path, if the command shall see that.
type step struct {
	stage.Step
	file   *os.File
	isFile bool // the path is that of a file
}

// steps returns the mounts of a view, parents first. Of several steps for one path,
// the one that allows least counts.
func (v *view) steps() []step {
	all := system(v.Profile)
	add := func(kind stage.Kind, places []place) {
		for _, at := range places {
			s := stage.Step{Kind: kind, Path: at.path}
			if kind == stage.Write {
				s.Dev, s.Ino = at.info.Dev, at.info.Ino
			}
			all = append(all, step{s, at.file, !at.isDir()})
		}
	}
	add(stage.Write, v.own)
	add(stage.Write, v.write)
	add(stage.Write, v.ways)
	add(stage.ReadOnly, v.readOnly)
	add(stage.ReadOnly, v.read)
	for _, at := range slices.Concat(v.hide, v.concealed()) {
		kind := stage.HideFile
		if at.isDir() {
			kind = stage.HideDir
		}
		all = append(all, step{Step: stage.Step{Kind: kind, Path: at.path}, isFile: !at.isDir()})
	}
	return ordered(all)
}

// concealed returns the directories to conceal. A session can work in one of them.
func (v *view) concealed() []place {
	return slices.DeleteFunc(slices.Clone(v.conceal), func(c place) bool {
		return slices.ContainsFunc(slices.Concat(v.own, v.write), func(at place) bool { return at.path == c.path })
	})
}

// system returns the mounts that every command needs.
func system(p Profile) []step {
	var all []step
	add := func(s stage.Step, paths ...string) {
		for _, path := range paths {
			at, err := openPlace(path)
			if errors.Is(err, unix.ELOOP) {
				if path, err = filepath.EvalSymlinks(path); err == nil { // such as /var/run, which commands cannot change
					at, err = openPlace(path)
				}
			}
			if err == nil {
				s.Path = at.path
				all = append(all, step{Step: s})
				_ = at.file.Close() // it was never read
			}
		}
	}
	add(stage.Step{Kind: stage.Devices, Size: p.TmpBytes}, "/dev")
	add(stage.Step{Kind: stage.Proc}, "/proc")
	for i, dir := range privateDirs {
		if source := []string{p.Tmp, p.VarTmp}[i]; source != "" {
			add(stage.Step{Kind: stage.Bind, Source: source}, dir)
		} else {
			add(stage.Step{Kind: stage.Private, Size: p.TmpBytes}, dir)
		}
	}
	add(stage.Step{Kind: stage.HideDir}, "/run", "/var/run") // sockets of services
	if p.Network == On {
		add(stage.Step{Kind: stage.ReadOnly}, "/run/systemd/resolve") // the target of /etc/resolv.conf
	}
	return all
}

func ordered(all []step) []step {
	rank := func(k stage.Kind) int { return strings.IndexByte("tbdpwrhn", byte(k)) }
	slices.SortStableFunc(all, func(a, b step) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), rank(b.Kind)-rank(a.Kind))
	})
	return slices.CompactFunc(all, func(a, b step) bool { return a.Path == b.Path })
}

// devices are those that a command can use at the level Landlock. It gets no terminal:
// others of the user have the same directory.
var devices = []string{"null", "zero", "full", "random", "urandom"}

// rules returns what Landlock allows. Its rules permit and never refuse: to
// hide a path, everything next to the path and next to its parents is allowed.
// Those parents themselves cannot be listed.
func (v *view) rules(temp string) []stage.Rule {
	b := rulebook{hidden: map[string]bool{"/dev": true}, way: map[string]bool{"/": true}}
	for _, at := range slices.Concat(v.hide, v.concealed()) {
		b.hide(at.path)
	}
	b.allow("/", stage.ReadAccess)
	for _, at := range slices.Concat(v.own, v.write) {
		first := len(b.rules)
		b.allow(at.path, stage.WriteAccess)
		if len(b.rules) == first+1 && b.rules[first].Path == at.path {
			b.rules[first].Dev, b.rules[first].Ino = at.info.Dev, at.info.Ino
		}
	}
	for _, at := range v.read {
		b.allow(at.path, stage.ReadAccess)
	}
	b.allow(temp, stage.WriteAccess)
	for _, name := range devices {
		const access = stage.ReadFile | stage.WriteFile | stage.IoctlDev
		b.rules = append(b.rules, stage.Rule{Path: "/dev/" + name, Access: access})
	}
	return b.rules
}

// rulebook collects the rules of a view.
type rulebook struct {
	hidden map[string]bool
	way    map[string]bool // the parents of what is hidden
	rules  []stage.Rule
}

func (b *rulebook) hide(path string) {
	b.hidden[path] = true
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		b.way[dir] = true
		if dir == "/" {
			return
		}
	}
}

func (b *rulebook) allow(path string, access uint64) {
	switch {
	case b.hidden[path]:
	case b.way[path]:
		entries, _ := os.ReadDir(path) // what cannot be listed here cannot be read, either
		for _, e := range entries {
			if e.Type()&os.ModeSymlink == 0 {
				b.allow(filepath.Join(path, e.Name()), access)
			}
		}
	default:
		b.rules = append(b.rules, stage.Rule{Path: path, Access: access})
	}
}
