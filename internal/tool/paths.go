package tool

import (
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

// inRoot turns a path that is relative to dir, or absolute and inside it, into
// one that is relative and clean; "" is dir itself. It compares names only:
// that no link leads out is the os.Root's business.
func inRoot(dir, path string) (string, error) {
	if !filepath.IsAbs(path) {
		if rel := filepath.Clean(path); filepath.IsLocal(rel) {
			return rel, nil
		}
		return "", outside(path)
	}
	bases := []string{dir}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		bases = append(bases, resolved) // pwd in a shell may give dir its other name
	}
	for _, base := range bases {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", outside(path)
}

func outside(path string) error {
	return fmt.Errorf("%s is outside the working directory", shown(path))
}

// openDir opens the directory of a call's session and finds a path in it. It
// refuses a path that leads to something private.
func openDir(call Call, path string) (*os.Root, string, error) {
	rel, err := inRoot(call.Dir, path)
	if err != nil {
		return nil, "", err
	}
	if err := call.private.covers(call.Dir); err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(call.Dir)
	if err != nil {
		return nil, "", err
	}
	if _, err := call.private.resolve(root, rel); err != nil {
		_ = root.Close()
		return nil, "", err
	}
	return root, rel, nil
}

// reading opens without waiting: a pipe nobody writes to would block the
// opening itself, where no stop could reach it.
const reading = os.O_RDONLY | syscall.O_NONBLOCK

// openRegular opens a file that can be read to its end and is not private.
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

// shown is a name as people and models see it: with slashes, and quoted when it
// holds what could pass for something else, such as a line break.
func shown(path string) string {
	path = filepath.ToSlash(path)
	if strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// plain takes out of a line what could hide or move the rest of it on a screen.
func plain(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, line)
}

// cutLine shortens a line to so many characters.
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

// stopped is the result of a call that a stop cut short, with what it had found.
func stopped(output string) Result {
	return Result{Text: bellcord.ResultText(bellcord.CallStopped, output), Fate: bellcord.CallStopped}
}
