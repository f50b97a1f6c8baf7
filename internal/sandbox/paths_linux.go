package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// place is a file or a directory that was opened once. Its path has no symbolic
// link. The file stays open until the command has ended: until then no other file
// can get its number, by which the helper recognizes it.
type place struct {
	path string
	file *os.File // O_PATH
	info unix.Stat_t
}

func (p place) isDir() bool { return p.info.Mode&unix.S_IFMT == unix.S_IFDIR }

// openPlace opens a path that must not contain a symbolic link.
func openPlace(path string) (place, error) {
	p := place{path: filepath.Clean(path)}
	if !filepath.IsAbs(path) {
		return place{}, &os.PathError{Op: "open", Path: path, Err: unix.EINVAL}
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, p.path, &how)
	for errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) { // a rename at the same time
		fd, err = unix.Openat2(unix.AT_FDCWD, p.path, &how)
	}
	if err != nil {
		return place{}, &os.PathError{Op: "open", Path: p.path, Err: err}
	}
	p.file = os.NewFile(uintptr(fd), p.path)
	if err := unix.Fstat(fd, &p.info); err != nil {
		return place{}, errors.Join(err, p.file.Close())
	}
	return p, nil
}

// view is a profile whose paths were opened. The lists of the profile itself are not
// used any more.
type view struct {
	Profile
	own, write, readOnly, read []place
	hide, conceal              []place // without their files
	ways                       []place // directories between a writable one and a hidden path in it
	entered                    []*entered
}

// open opens the paths of a profile, except for those that are missing. The caller
// closes the view.
func (p Profile) open() (*view, error) {
	v := &view{Profile: p}
	err := v.openAll()
	if err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// openAll opens the paths. A path in a hidden directory must not show it, and a path in
// an own or writable directory is opened as it is: a command may have made the link
// there.
func (v *view) openAll() (err error) {
	if v.own, err = openOwn(v.Own); err != nil {
		return err
	}
	v.hide = slices.DeleteFunc(openHidden(v.Hide, v.keepLink), func(h place) bool {
		return slices.ContainsFunc(v.own, func(o place) bool { return o.path == h.path })
	})
	v.conceal = openHidden(v.Conceal, v.keepLink)
	writable := slices.Concat(v.Own, v.Write)
	if v.write, err = openConfigured(v.Write, writable); err != nil {
		return err
	}
	v.write = v.outside(v.write)
	v.entered = v.openEntered(slices.Concat(v.own, v.write))
	v.create()
	if v.readOnly, err = openConfigured(v.ReadOnly, writable); err != nil {
		return err
	}
	v.readOnly = v.inWritable(v.readOnly)
	if v.read, err = openConfigured(v.Read, writable); err != nil {
		return err
	}
	v.read = v.notWritable(v.read)
	v.ways, err = v.openWays()
	return err
}

// writes reports whether the command can write a path.
func (v *view) writes(path string) bool {
	return slices.ContainsFunc(slices.Concat(v.own, v.write), func(root place) bool { return contains(root.path, path) })
}

// create creates the missing directories. What cannot be created stays missing.
func (v *view) create() {
	for _, path := range v.Create {
		if !v.writes(path) {
			continue
		}
		if parent, err := openPlace(filepath.Dir(path)); err == nil {
			_ = unix.Mkdirat(int(parent.file.Fd()), filepath.Base(path), 0o755) // usually it exists
			_ = parent.file.Close()                                             // it was never read
		}
	}
}

// openOwn opens the session's directories.
func openOwn(paths []string) (all []place, err error) {
	for _, path := range paths {
		at, err := openPlace(path)
		switch {
		case errors.Is(err, unix.ELOOP):
			return all, fmt.Errorf("the session's directory %s leads through a symbolic link: "+
				"it was replaced after the session began. Start a new session in the directory that you mean", path)
		case errors.Is(err, unix.ENOENT): // the command cannot start in it
		case err != nil:
			return all, err
		default:
			all = append(all, at)
		}
	}
	return all, nil
}

func (v *view) close() {
	for _, at := range slices.Concat(v.own, v.write, v.readOnly, v.read, v.ways) {
		_ = at.file.Close() // it was never read
	}
	for _, e := range v.entered {
		e.close()
	}
}

// inWritable closes and removes the places that no own or writable directory contains:
// a command may have named them, and they must not become visible.
func (v *view) inWritable(all []place) []place {
	roots := slices.Concat(v.own, v.write)
	return slices.DeleteFunc(v.outside(all), func(at place) bool {
		if slices.ContainsFunc(roots, func(root place) bool { return contains(root.path, at.path) }) {
			return false
		}
		_ = at.file.Close()
		return true
	})
}

// notWritable closes and removes the places that an own or writable directory shows:
// they stay writable.
func (v *view) notWritable(all []place) []place {
	roots := slices.Concat(v.own, v.write)
	return slices.DeleteFunc(all, func(at place) bool {
		writable := slices.ContainsFunc(roots, func(root place) bool {
			return contains(root.path, at.path) && !slices.ContainsFunc(v.concealed(), func(c place) bool {
				return contains(root.path, c.path) && contains(c.path, at.path)
			})
		})
		if writable {
			_ = at.file.Close() // it was never read
		}
		return writable
	})
}

// outside closes and removes the places that a hidden path contains, except those in
// an own directory inside of that path.
func (v *view) outside(all []place) []place {
	return slices.DeleteFunc(all, func(at place) bool {
		hidden := slices.ContainsFunc(v.hide, func(h place) bool {
			return contains(h.path, at.path) && !slices.ContainsFunc(v.own, func(o place) bool {
				return contains(h.path, o.path) && contains(o.path, at.path)
			})
		})
		if hidden {
			_ = at.file.Close()
		}
		return hidden
	})
}

// openConfigured opens the paths that exist. It follows symbolic links, but none in a
// directory that commands can write.
func openConfigured(paths, writable []string) ([]place, error) {
	all := make([]place, 0, len(paths))
	for _, path := range paths {
		at, err := openPlace(path)
		if errors.Is(err, unix.ELOOP) {
			at, err = openFollowing(path, writable)
		}
		switch {
		case err == nil:
			all = append(all, at)
		case exhausted(err):
			return all, err
		}
	}
	return all, nil
}

// exhausted reports whether an existing path may have been impossible to open. Such a
// path would stay unprotected.
func exhausted(err error) bool {
	for _, e := range []error{unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.EIO} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// openFollowing opens a path with links.
func openFollowing(path string, writable []string) (place, error) {
	reached := inReach(writable)
	real, err := follow(path, func(link Link) bool { return reached(filepath.Dir(link.Path)) })
	if err != nil {
		return place{}, err
	}
	return openPlace(real)
}

// inReach returns a function that reports whether commands can write a directory. A
// writable directory may itself be reached through links that no command has made.
func inReach(writable []string) func(dir string) bool {
	roots := slices.SortedFunc(slices.Values(writable), func(a, b string) int { return len(a) - len(b) })
	contained := func(dir string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return contains(root, dir) })
	}
	given := slices.Clone(roots)
	for known := 0; known < len(roots); {
		known = len(roots)
		for _, path := range given {
			if real, err := follow(path, func(link Link) bool { return contained(filepath.Dir(link.Path)) }); err == nil && !slices.Contains(roots, real) {
				roots = append(roots, real)
			}
		}
	}
	return contained
}

// mostLinks is how many symbolic links a path may have, as in the kernel.
const mostLinks = 40

// follow returns a path with its symbolic links replaced. It returns an error for a
// link that is refused.
func follow(path string, refuses func(Link) bool) (string, error) {
	done, todo := "/", strings.Split(path, "/")
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		next := filepath.Join(done, name) // done has no links, so ".." leads to its parent
		target, err := os.Readlink(next)
		if err != nil { // no link, or missing
			done = next
			continue
		}
		if links++; links > mostLinks || refuses(Link{next, target}) {
			return "", &os.PathError{Op: "follow", Path: next, Err: unix.ELOOP}
		}
		if filepath.IsAbs(target) {
			done = "/"
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return done, nil
}

// keepLink adds a link on the way to a hidden path. If a command could remove it, the
// next command would find the hidden files where the link led.
func (v *view) keepLink(link Link) {
	if !slices.Contains(v.Links, link) {
		v.Links = append(slices.Clip(v.Links), link)
	}
}

// openHidden returns the paths that exist, with all links followed: what is hidden
// has to be hidden wherever it is. The files are not kept open. passed is called for
// each link.
func openHidden(paths []string, passed func(Link)) []place {
	all := make([]place, 0, len(paths))
	for _, path := range paths {
		at, err := openPlace(path)
		if errors.Is(err, unix.ELOOP) {
			if path, err = follow(path, func(link Link) bool { passed(link); return false }); err == nil {
				at, err = openPlace(path)
			}
		}
		if err == nil {
			_ = at.file.Close()
			all = append(all, at)
		}
	}
	return all
}

// openWays opens the directories between a writable directory and what is protected
// in it. They become mount points, which a command cannot rename: it could show what
// is hidden, or put something else at the path of what is read-only.
func (v *view) openWays() ([]place, error) {
	var protected []string
	for _, at := range slices.Concat(v.hide, v.concealed(), v.readOnly) {
		protected = append(protected, at.path)
	}
	protected = append(protected, v.Absent...)
	for _, link := range v.Links {
		protected = append(protected, link.Path)
	}
	var all []place
	known := map[string]bool{"/": true}
	roots := slices.Concat(v.own, v.write)
	for _, path := range protected {
		for dir := filepath.Dir(path); !known[dir]; dir = filepath.Dir(dir) {
			known[dir] = true
			if !slices.ContainsFunc(roots, func(root place) bool { return contains(root.path, filepath.Dir(dir)) }) {
				break
			}
			at, err := openPlace(dir)
			if exhausted(err) {
				return all, err
			}
			if err == nil {
				all = append(all, at)
			}
		}
	}
	return v.outside(all), nil
}

// contains reports whether path is dir, or is in it. Both are absolute.
func contains(dir, path string) bool {
	return dir == "/" || path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
