package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// repository returns the state of a .git directory: a checksum of HEAD, settings,
// refs and index, and how many packs and directories of objects it has. Its bytes
// are never kept. What cannot be read counts as absent.
func (f *files) repository(path string, b *buffer) tree.State {
	sum := sha256.New()
	for _, name := range []string{"HEAD", "config", "packed-refs"} {
		data, _ := f.readAll(join(path, name))
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
	}
	index, _ := f.readAll(join(path, "index"))
	hashIndex(sum, index)
	f.hashNames(join(path, "refs"), b, sum)
	packs, loose := 0, 0
	_ = f.list(join(path, "objects/pack"), b, func(name string, _ entry) {
		if strings.HasSuffix(name, ".pack") {
			packs++
		}
	})
	_ = f.list(join(path, "objects"), b, func(name string, _ entry) {
		if len(name) == 2 {
			loose++
		}
	})
	s := tree.State{Kind: tree.Repository, Hashed: true, Size: int64(packs)<<packShift | int64(loose)}
	sum.Sum(s.Sum[:0])
	return s
}

// packShift is the position of the number of packs in the size of a repository. There
// are at most 256 directories of loose objects.
const packShift = 16

// isUsable reports whether a change of a .git directory leaves a repository: one was
// created or has moved on. Otherwise it is gone, or its packs or all objects are.
func isUsable(before, after tree.State) bool {
	if after.Kind != tree.Repository {
		return false
	}
	switch before.Kind {
	case tree.Absent:
		return true
	case tree.Repository:
		lost := after.Size == 0 || after.Size>>packShift == 0 && before.Size>>packShift > 0
		return before.Size == 0 || !lost
	case tree.File, tree.Symlink, tree.Directory, tree.Other:
	}
	return false
}

// readAll returns the bytes of a file of git, at most 64 MiB.
func (f *files) readAll(path string) ([]byte, error) {
	opened, err := f.openFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	return io.ReadAll(io.NewSectionReader(opened, 0, 64<<20))
}

// hashNames adds the names, times and sizes of all files below a directory.
func (f *files) hashNames(dir string, b *buffer, sum hash.Hash) {
	var subs, lines []string
	_ = f.list(dir, b, func(name string, e entry) {
		if e.state.Kind == tree.Directory {
			subs = append(subs, join(dir, name))
			return
		}
		lines = append(lines, fmt.Sprintf("%s %d %d %d\n", join(dir, name), e.mtime, e.inode, e.state.Size))
	})
	slices.Sort(lines)
	slices.Sort(subs)
	for _, line := range lines {
		_, _ = io.WriteString(sum, line) // a hash returns no error
	}
	for _, sub := range subs {
		f.hashNames(sub, b, sum)
	}
}

// hashIndex adds the entries of an index of git, without the times, inodes and sizes
// of their files, which "git status" brings up to date. An index of another format
// counts with all its bytes. The format is described in gitformat-index(5).
func hashIndex(sum hash.Hash, data []byte) {
	const header, stat, mode, name, flags = 12, 40, 24, 62, 60
	if len(data) < header || binary.BigEndian.Uint32(data[4:]) > 3 {
		sum.Write(data)
		return
	}
	rest := data[header:]
	for range binary.BigEndian.Uint32(data[8:]) {
		begin := name
		if len(rest) > name && binary.BigEndian.Uint16(rest[flags:])&0x4000 != 0 {
			begin += 2 // extended flags
		}
		end := -1
		if len(rest) > begin {
			end = bytes.IndexByte(rest[begin:], 0)
		}
		if end < 0 {
			sum.Write(data)
			return
		}
		sum.Write(rest[mode : mode+4])
		sum.Write(rest[stat : begin+end+1])
		rest = rest[min((begin+end+8)&^7, len(rest)):]
	}
}
