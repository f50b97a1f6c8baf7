package restore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// held is a complete file in the trash. Its name shows how far its step is.
type held struct {
	own  uint64 // the inode of the staged file; 0 if the step has none
	mark string // "", out or drop
}

const (
	part = ".part"
	out  = ".out"
	drop = ".drop"
)

func (h held) name(i int) string { return fmt.Sprintf("%d.%d%s", i, h.own, h.mark) }

// list reads the names in the trash and removes incomplete files.
func (r *run) list() error {
	if _, err := r.trash.fd.Seek(0, io.SeekStart); err != nil {
		return err
	}
	names, err := r.trash.fd.Readdirnames(-1)
	if err != nil {
		return err
	}
	clear(r.held)
	for _, name := range names {
		i, h, ok := parse(name)
		if !ok {
			if err := r.trash.Remove(name); err != nil {
				return err
			}
			continue
		}
		r.held[i] = h
	}
	return nil
}

// parse returns the step of a complete file in the trash.
func parse(name string) (int, held, bool) {
	number, rest, _ := strings.Cut(name, ".")
	inode, mark, marked := strings.Cut(rest, ".")
	i, err := strconv.Atoi(number)
	if err != nil {
		return 0, held{}, false
	}
	own, err := strconv.ParseUint(inode, 10, 64)
	if err != nil {
		return 0, held{}, false
	}
	h := held{own: own}
	if marked {
		h.mark = "." + mark
	}
	return i, h, true
}

// mark renames the file of a step.
func (r *run) mark(i int, mark string) error {
	h := r.held[i]
	if h.mark == mark {
		return nil
	}
	next := held{h.own, mark}
	if err := r.trash.Rename(h.name(i), next.name(i)); err != nil {
		return err
	}
	r.held[i] = next
	reach("marked" + mark)
	return nil
}

// stageAll writes the files that steps move into place, before the first of them
// does so: a full disk stops the undo before it has changed anything.
func (r *run) stageAll(ctx context.Context) error {
	missing := []int{}
	links := map[link]string{}
	for i, s := range r.job.Steps {
		l, linked := r.linkOf(s)
		if h, staged := r.held[i]; staged || !hasBytes(s.Before) {
			if staged && linked {
				links[l] = h.name(i)
			}
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if other := links[l]; linked && other != "" {
			if err := r.stageSame(i, other); err != nil {
				return err
			}
			continue
		}
		if err := r.stage(i, s); errors.Is(err, errSource) {
			missing = append(missing, i)
		} else if err != nil {
			return err
		} else if linked {
			links[l] = r.held[i].name(i)
		}
	}
	if err := r.trash.fd.Sync(); err != nil {
		return err
	}
	reach("all staged")
	return write(r.dir, stagedFile, missing)
}

// link identifies steps whose paths are hard links of one file, before and after the
// undo.
type link struct {
	inode  uint64
	before tree.State
}

// linkOf returns the link of a step. It returns false if its path is no file with
// several hard links.
func (r *run) linkOf(s step) (link, bool) {
	dir, name, err := r.root.parent(s.Path)
	if err != nil || s.Before.Kind != tree.File || s.After.Kind != tree.File {
		return link{}, false
	}
	defer dir.closeDir()
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return link{}, false
	}
	id := identityOf(info)
	return link{id.inode, s.Before}, id.links > 1
}

// stageSame makes the file of one step a hard link of a staged one.
func (r *run) stageSame(i int, staged string) error {
	temporary := strconv.Itoa(i) + part
	if err := r.trash.Link(staged, temporary); err != nil {
		return err
	}
	reach("part written")
	return r.name(i, temporary)
}

// skipMissing settles the steps whose bytes the source does not have.
func (r *run) skipMissing() error {
	var missing []int
	if err := read(r.dir, stagedFile, &missing); err != nil {
		return err
	}
	for _, i := range missing {
		r.conclude(i, NotKept, errSource.Error())
	}
	return nil
}

// errSource is the error for bytes that the source does not have or that are
// damaged.
var errSource = errors.New("its earlier bytes are not kept")

// stage writes the file of one step. The name of a complete file contains its
// inode, which identifies it later, at the path or in the trash.
func (r *run) stage(i int, s step) error {
	temporary := strconv.Itoa(i) + part
	from, err := r.source.Open(s.Before.Sum)
	if err != nil {
		return errors.Join(errSource, err)
	}
	defer func() { _ = from.Close() }()
	if s.Before.Kind == tree.Symlink {
		err = r.stageLink(temporary, s, from)
	} else {
		err = r.stageFile(temporary, s, from)
	}
	if err != nil {
		_ = r.trash.Remove(temporary)
		return err
	}
	reach("part written")
	return r.name(i, temporary)
}

// name renames a temporary file to its complete name.
func (r *run) name(i int, temporary string) error {
	info, err := r.trash.Lstat(temporary)
	if err != nil {
		return err
	}
	h := held{own: identityOf(info).inode}
	if err := r.trash.Rename(temporary, h.name(i)); err != nil {
		return err
	}
	r.held[i] = h
	reach("staged")
	return nil
}

func (r *run) stageLink(name string, s step, from io.Reader) error {
	target, err := io.ReadAll(io.LimitReader(from, s.Before.Size+1))
	if err != nil || sha256.Sum256(target) != s.Before.Sum {
		return errors.Join(errSource, err)
	}
	return r.trash.Symlink(string(target), name)
}

func (r *run) stageFile(name string, s step, from io.Reader) (err error) {
	f, err := r.trash.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := copyBytes(f, from, s.Before.Sum); err != nil {
		return err
	}
	if dir, name, err := r.root.parent(s.Path); err == nil {
		if there, err := dir.Lstat(name); err == nil && there.Mode().IsRegular() {
			copyOwner(f, there)
			if now, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
				copyAttributes(f, now)
				_ = now.Close()
			}
		}
		dir.closeDir()
	}
	if err := f.Chmod(s.Before.Mode); err != nil { // last: a change of the owner removes bits
		return err
	}
	return f.Sync()
}

// copyBytes copies in pieces and compares the sum at the end.
func copyBytes(to io.Writer, from io.Reader, want tree.Sum) error {
	hash := sha256.New()
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		hash.Write(piece[:n])
		if _, err := to.Write(piece[:n]); err != nil {
			return err
		}
		reach("piece written")
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(errSource, err)
		}
	}
	if tree.Sum(hash.Sum(nil)) != want {
		return fmt.Errorf("%w: they are damaged", errSource)
	}
	return nil
}

// isTaken reports whether a name exists already.
func isTaken(err error) bool { return errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) }
