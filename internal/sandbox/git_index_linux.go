package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// entered is what git enters by the index of a worktree: it runs the programs that the
// repositories there name.
type entered struct {
	Index
	dir, root place
	links     []string // relative to root
	readable  bool
	info      unix.Stat_t // of the file, when it was read
}

// openEntered reads the indexes whose worktrees the command can change, and those of
// the submodules in them. It adds what protects these submodules to the profile.
func (v *view) openEntered(roots []place) []*entered {
	var all []*entered
	known := map[string]bool{}
	for todo := v.Indexes; len(todo) > 0 && len(all) < mostModules; {
		index := todo[0]
		todo = todo[1:]
		if known[index.Path] || index.Root == "" || !slices.ContainsFunc(roots, func(r place) bool {
			return contains(r.path, index.Root) || contains(index.Root, r.path)
		}) {
			continue
		}
		known[index.Path] = true
		e, err := openIndex(index)
		if err != nil { // no worktree, or none that git can use
			continue
		}
		all = append(all, e)
		for _, link := range e.links {
			git := submodule(filepath.Join(e.root.path, link))
			v.ReadOnly, v.Absent = append(v.ReadOnly, git.ReadOnly...), append(v.Absent, git.Absent...)
			v.Links, v.Create = append(v.Links, git.Links...), append(v.Create, git.Create...)
			todo = append(todo, git.Indexes...)
		}
	}
	return all
}

// submodule returns what protects the repository in the worktree of a submodule.
func submodule(worktree string) Git {
	var all Git
	link := filepath.Join(worktree, ".git")
	if info, err := os.Lstat(link); err == nil && info.IsDir() {
		return repository(link, worktree)
	}
	all.protect(worktree, ".git")
	return all
}

func openIndex(index Index) (*entered, error) {
	dir, err := openPlace(filepath.Dir(index.Path))
	if err != nil {
		return nil, err
	}
	root, err := openPlace(index.Root)
	if err != nil {
		_ = dir.file.Close() // it was never read
		return nil, err
	}
	e := &entered{Index: index, dir: dir, root: root}
	e.links, e.readable = e.read(&e.info)
	return e, nil
}

func (e *entered) close() {
	_, _ = e.dir.file.Close(), e.root.file.Close() // they were never read
}

// read returns the submodules of the index, relative to the worktree. It reports
// whether the index can be read completely.
func (e *entered) read(info *unix.Stat_t) (links []string, complete bool) {
	flags := unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK
	fd, err := unix.Openat(int(e.dir.file.Fd()), filepath.Base(e.Path), flags, 0)
	if err != nil {
		return nil, err == unix.ENOENT //nolint:errorlint // a plain errno
	}
	f := os.NewFile(uintptr(fd), e.Path)
	defer func() { _ = f.Close() }() // it was only read
	if unix.Fstat(fd, info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Size > mostIndex {
		return nil, false
	}
	b, err := io.ReadAll(io.LimitReader(f, mostIndex))
	if err != nil {
		return nil, false
	}
	return gitlinks(b, e.hash())
}

// hash returns the size of the hashes in a repository.
func (e *entered) hash() int {
	config, _ := read(filepath.Join(e.dir.path, "config"))
	for line := range strings.Lines(strings.ToLower(config)) {
		if name, value, _ := strings.Cut(line, "="); strings.TrimSpace(name) == "objectformat" && strings.TrimSpace(value) == "sha256" {
			return 32
		}
	}
	return 20
}

// restore makes submodules harmless that the command has given a repository: it renames
// the repository, if the command could write there. It renames an index that hides what
// it names.
func (e *entered) restore(v *view) {
	var now unix.Stat_t
	dir, name, links := int(e.dir.file.Fd()), filepath.Base(e.Path), e.links
	err := unix.Fstatat(dir, name, &now, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.EACCES) {
		regain(dir)
		err = unix.Fstatat(dir, name, &now, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err == nil && (now.Ino != e.info.Ino || now.Ctim != e.info.Ctim || now.Size != e.info.Size) {
		readable := false
		if links, readable = e.read(&now); !readable && e.readable {
			setAside(dir, name)
		}
	}
	for _, link := range links {
		git := filepath.Join(e.root.path, link, ".git")
		if v.keeps(git) || !v.writes(git) {
			continue
		}
		if fd, err := enter(int(e.root.file.Fd()), link); err == nil {
			setAside(fd, ".git")
			_ = unix.Close(fd)
		}
	}
}

// keeps reports whether the repository of a submodule is protected during the command.
func (v *view) keeps(git string) bool {
	return slices.ContainsFunc(v.readOnly, func(at place) bool { return contains(git, at.path) }) ||
		slices.ContainsFunc(v.Links, func(link Link) bool { return link.Path == git })
}

// enter opens a directory below another one. It follows no symbolic links. A command can
// have made directories on the way that cannot be entered.
func enter(root int, path string) (int, error) {
	if !filepath.IsLocal(path) {
		return -1, unix.EINVAL
	}
	at, err := unix.FcntlInt(uintptr(root), unix.F_DUPFD_CLOEXEC, 0)
	for _, name := range strings.Split(path, "/") {
		if err != nil {
			return -1, err
		}
		const flags = unix.O_PATH | unix.O_CLOEXEC | unix.O_DIRECTORY | unix.O_NOFOLLOW
		var next int
		next, err = unix.Openat(at, name, flags, 0)
		if errors.Is(err, unix.EACCES) {
			regain(at)
			next, err = unix.Openat(at, name, flags, 0)
		}
		_ = unix.Close(at)
		at = next
	}
	return at, err
}

// Limits of an index: one that is larger is not read.
const (
	mostIndex    = 256 << 20
	mostGitlinks = 1000
)

// Modes of an entry.
const (
	modeGitlink = 0o160000
	modeDir     = 0o040000 // of a sparse index: the entries below it are not in the file
)

// gitlinks returns the submodules in the content of an index. It reports whether
// the content is complete and names all of them.
func gitlinks(b []byte, hash int) (links []string, complete bool) {
	const header, stat = 12, 40 // stat: the part of an entry before the hash; the mode is at 24
	if len(b) < header || string(b[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	var name []byte
	at := header
	for range count {
		fixed := at + stat + hash + 2
		if fixed+2 > len(b) {
			return nil, false
		}
		mode, flags := binary.BigEndian.Uint32(b[at+24:]), binary.BigEndian.Uint16(b[fixed-2:])
		if flags&0x4000 != 0 {
			fixed += 2
		}
		next, ok := 0, false
		if name, next, ok = entryName(b, at, fixed, version, name); !ok {
			return nil, false
		}
		at = next
		if mode == modeGitlink {
			links = append(links, string(name))
		}
		if mode == modeDir || len(links) > mostGitlinks {
			return nil, false
		}
	}
	return links, extensions(b[at:], hash)
}

// entryName returns the name of the entry that begins at start, whose fixed part ends
// at fixed, and where the next entry begins.
func entryName(b []byte, start, fixed int, version uint32, previous []byte) (name []byte, next int, ok bool) {
	kept := 0
	if version == 4 { // the name without what it shares with the previous one
		drop, n := 0, fixed
		for ; ; n++ {
			if n >= len(b) || drop > len(previous) {
				return nil, 0, false
			}
			drop = drop<<7 | int(b[n]&0x7f)
			if b[n]&0x80 == 0 {
				break
			}
			drop++
		}
		fixed, kept = n+1, len(previous)-drop
	}
	if kept < 0 || fixed > len(b) {
		return nil, 0, false
	}
	length := bytes.IndexByte(b[fixed:], 0)
	if length < 0 {
		return nil, 0, false
	}
	name = slices.Concat(previous[:kept], b[fixed:fixed+length])
	next = fixed + length + 1
	if version != 4 {
		next = start + (fixed+length-start+8)/8*8
	}
	return name, next, len(name) > 0 && next <= len(b)
}

// extensions reports whether what follows the entries adds none: an index can be
// split in two files, and one can leave directories out.
func extensions(b []byte, hash int) bool {
	for len(b) > hash {
		if len(b) < 8 {
			return false
		}
		size := int(binary.BigEndian.Uint32(b[4:]))
		if name := string(b[:4]); name == "link" || name == "sdir" || size > len(b)-8 {
			return false
		}
		b = b[8+size:]
	}
	return len(b) == hash
}
