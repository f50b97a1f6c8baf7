package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/bellcord/bellcord"
)

// inRoot converts a path that is relative to dir, or absolute and inside it, to
// a clean relative path; "" is dir itself. It only compares names: os.Root
// prevents links from leading outside.
func inRoot(dir, path string) (string, error) {
	if !filepath.IsAbs(path) {
		if rel := filepath.Clean(path); filepath.IsLocal(rel) {
			return rel, nil
		}
		return "", outside(path)
	}
	bases := []string{dir}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		bases = append(bases, resolved) // pwd in a shell may return this name
	}
	for _, base := range bases {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", outside(path)
}

// errOutside is returned for a path outside the session's directories.
var errOutside = errors.New("is outside the working directory")

func outside(path string) error {
	return fmt.Errorf("%s %w", shown(path), errOutside)
}

// locate returns which of a session's directories contains path, and the path
// relative to that directory. A relative path is always inside dir. An absolute
// path may also be inside one of the additional directories.
func locate(dir string, additional []string, path string) (in, rel string, err error) {
	if rel, err = inRoot(dir, path); err == nil {
		return dir, rel, nil
	}
	if !filepath.IsAbs(path) {
		return "", "", err
	}
	for _, other := range additional {
		if rel, outsideOther := inRoot(other, path); outsideOther == nil {
			return other, rel, nil
		}
	}
	if len(additional) > 0 {
		err = fmt.Errorf("%w and the additional directories", err)
	}
	return "", "", err
}

// openDir opens the directory of a call's session that contains path, and
// returns it with path relative to it. It returns an error if the path is
// outside by name, or leads to a private file. The caller must close the root.
func openDir(call Call, path string) (*os.Root, string, error) {
	dir, rel, err := locate(call.Dir, call.AdditionalDirs, path)
	if err != nil {
		return nil, "", err
	}
	if err := call.private.covers(dir); err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	if _, err := call.private.resolve(root, rel); err != nil {
		_ = root.Close()
		return nil, "", err
	}
	return root, rel, nil
}

// reading opens without blocking: opening a pipe without a writer would block,
// and a stop could not interrupt it.
const reading = os.O_RDONLY | syscall.O_NONBLOCK

// openRegular opens a regular file that is not private.
func openRegular(root *os.Root, path string, private Private) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(path, reading, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info)
	}
	if err == nil {
		err = private.opened(path, f)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func regular(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a directory", shown(path))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", shown(path))
	}
	return nil
}

// shown returns a name for people and models: with slashes, and quoted if it
// contains characters that are not printable, such as a line break.
func shown(path string) string {
	path = filepath.ToSlash(path)
	if strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// reported returns a path inside root as later calls can use it: relative to the
// working directory or, in an additional directory, absolute.
func (c Call) reported(root *os.Root, path string) string {
	if root.Name() == c.Dir {
		return path
	}
	return filepath.Join(root.Name(), path)
}

// plain replaces the characters of a line that could hide or move the rest of
// it on a screen.
func plain(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, line)
}

// cutLine truncates a line to most characters.
func cutLine(line string, most int) string {
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

// stopped returns the result of a call that was stopped, with its output so
// far.
func stopped(output string) Result {
	return Result{Text: bellcord.ResultText(bellcord.CallStopped, output), Fate: bellcord.CallStopped}
}
