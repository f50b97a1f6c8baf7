// Package workspace finds and opens the files that a session may access: in its
// directories, and never the private ones.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/bellcord/bellcord/internal/realdir"
)

// InRoot converts a path that is relative to dir, or absolute and inside it, to
// a clean relative path; "" is dir itself. It only compares names: os.Root
// prevents links from leading outside. An absolute path may reach dir through
// symbolic links: an editor can have opened the project by such a name.
func InRoot(dir, path string) (string, error) {
	if !filepath.IsAbs(path) {
		if rel := filepath.Clean(path); filepath.IsLocal(rel) {
			return rel, nil
		}
		return "", outside(path)
	}
	if rel, inside := below(dir, path); inside {
		return rel, nil
	}
	names := strings.Split(filepath.Clean(path), string(filepath.Separator))
	for i := 2; i <= len(names); i++ {
		real, err := filepath.EvalSymlinks(strings.Join(names[:i], string(filepath.Separator)))
		if err != nil {
			break
		}
		if rel, inside := below(dir, real); inside { // the links in the rest are inside
			return filepath.Join(rel, filepath.Join(names[i:]...)), nil
		}
	}
	return "", outside(path)
}

// below returns a path relative to dir, if it is inside by name.
func below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// errOutside is returned for a path outside the session's directories.
var errOutside = errors.New("is outside the working directory")

func outside(path string) error {
	return fmt.Errorf("%s %w", Shown(path), errOutside)
}

// Dirs are the directories that a session works in, and what is accessible
// there.
type Dirs struct {
	Dir string // relative paths are relative to it
	// Additional are the other directories. Absolute paths inside them are treated
	// like paths inside Dir.
	Additional []string
	Private    Private
	// Held are the directories as the turn has found them; nil compares nothing.
	Held *realdir.Held
	// AsWritten prevents that OpenRead opens another path than the given one.
	AsWritten bool
	// Output reports whether a path is an output of the session, which OpenRead
	// opens although it is outside; nil if there are none.
	Output func(path string) bool
}

// Locate returns which of the directories contains path, and the path
// relative to that directory. A relative path is always inside Dir. An absolute
// path may also be inside one of the additional directories.
func (d Dirs) Locate(path string) (in, rel string, err error) {
	if rel, err = InRoot(d.Dir, path); err == nil {
		return d.Dir, rel, nil
	}
	if !filepath.IsAbs(path) {
		return "", "", err
	}
	for _, other := range d.Additional {
		if rel, outsideOther := InRoot(other, path); outsideOther == nil {
			return other, rel, nil
		}
	}
	if len(d.Additional) > 0 {
		err = fmt.Errorf("%w and the additional directories", err)
	}
	return "", "", err
}

// OpenDir opens the directory that contains path, and returns it with path
// relative to it. It returns an error if the path is outside by name, or leads to
// a private file. The caller must close the root.
func (d Dirs) OpenDir(path string) (*os.Root, string, error) {
	dir, rel, err := d.Locate(path)
	if err != nil {
		return nil, "", err
	}
	if err := d.Private.covers(dir); err != nil {
		return nil, "", err
	}
	root, err := d.Held.Open(dir)
	if err != nil {
		return nil, "", err
	}
	if _, err := d.Private.Real(root, rel); err != nil {
		_ = root.Close()
		return nil, "", err
	}
	return root, rel, nil
}

// Check returns an error if one of the directories was replaced.
func (d Dirs) Check() error { return d.Held.Check(append([]string{d.Dir}, d.Additional...)...) }

// Readable returns an error if a rule denies read_file for a path.
func (d Dirs) Readable(path string) error {
	root, rel, err := d.OpenDir(path)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	real, err := d.Private.Real(root, rel)
	if err != nil {
		return err
	}
	return d.Private.Readable(root.Name(), real)
}

// Place returns the absolute path, without symbolic links, of a directory that a
// command starts in.
func (d Dirs) Place(path string) (string, error) {
	root, rel, err := d.OpenDir(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	real, err := d.Private.Real(root, rel)
	if err != nil {
		return "", err
	}
	info, err := root.Stat(real)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a directory", Shown(path))
	}
	return filepath.Join(root.Name(), real), nil
}

// Reading opens without blocking: opening a pipe without a writer would block,
// and a stop could not interrupt it.
const Reading = os.O_RDONLY | syscall.O_NONBLOCK

// OpenRegular opens a regular file that is not private, and that no rule prevents
// from being read.
func OpenRegular(root *os.Root, path string, private Private) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(path, Reading, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = Regular(path, info)
	}
	if err == nil {
		err = private.Opened(path, f)
	}
	if err == nil {
		err = private.readable(root, path, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// OpenInstructions opens an instruction file. A link is followed only inside root, and
// only to a file that also has the name of an instruction file: a repository must not
// choose by a link what a model reads.
func OpenInstructions(root *os.Root, path string, private Private) (*os.File, error) {
	real, err := private.Real(root, path)
	if err != nil {
		return nil, err
	}
	if name := filepath.Base(real); !slices.Contains(instructions, folded(name)) {
		return nil, fmt.Errorf("it is a link to %s, which does not have the name of an instruction file", Shown(real))
	}
	found, err := root.Lstat(real)
	if err != nil {
		return nil, err
	}
	if found.Mode()&fs.ModeSymlink != 0 { // Real does not follow such a link
		return nil, errors.New("it is a link that leads out of its directory")
	}
	f, opened, err := OpenRegular(root, path, private)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(found, opened) {
		_ = f.Close()
		return nil, replacedMeanwhile(path)
	}
	return f, nil
}

// Regular returns an error if a file is not a regular one.
func Regular(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a directory", Shown(path))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", Shown(path))
	}
	return nil
}

// Shown returns a name for people and models: with slashes, and quoted if it
// contains characters that are not printable, such as a line break.
func Shown(path string) string {
	path = filepath.ToSlash(path)
	if strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// Reported returns a path inside root as later calls can use it: relative to the
// working directory or, in an additional directory, absolute.
func (d Dirs) Reported(root *os.Root, path string) string {
	if root.Name() == d.Dir {
		return path
	}
	return filepath.Join(root.Name(), path)
}

// Plain replaces the characters of a line that could hide or move the rest of
// it on a screen.
func Plain(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, line)
}

// CutLine truncates a line to most characters.
func CutLine(line string, most int) string {
	if len(line) <= most {
		return line
	}
	n := 0
	for i := range line {
		if n == most {
			return line[:i] + "…"
		}
		n++
	}
	return line
}
