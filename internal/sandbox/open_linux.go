package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/sandbox/stage"
)

// patience limits one attempt. It is long: a machine may be busy.
const patience = time.Minute

// search tries the levels, the best first.
func (b *Box) search() {
	b.level = None
	for _, c := range []struct {
		level Level
		means string
		ready func() error
	}{
		{Namespaces, Bubblewrap, b.findBubblewrap},
		{Namespaces, Bellcord, func() error { return nil }},
		{Landlock, "", findLandlock},
	} {
		if b.options.Level != "" && b.options.Level != c.level || c.means != "" && b.options.Means != "" && b.options.Means != c.means {
			continue
		}
		err := c.ready()
		if err == nil {
			err = b.attempt(c.level, c.means)
		}
		if err == nil {
			b.level, b.means = c.level, c.means
			return
		}
		b.missing = append(b.missing, fmt.Sprintf("%s: %v", strings.TrimSpace(string(c.level)+" "+by(c.means)), err))
	}
	if isFiltered() {
		b.missing = append(b.missing, "a filter of system calls (seccomp) of this service or container may be the cause")
	}
}

func by(means string) string {
	if means == "" {
		return ""
	}
	return "by " + means
}

func (b *Box) findBubblewrap() error {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return errors.New("bwrap is not installed")
	}
	if b.bwrap, err = filepath.Abs(path); err != nil {
		return err
	}
	b.exe, err = os.Open(self)
	return err
}

func findLandlock() error {
	switch {
	case hasLandlock():
		return nil
	case isFiltered():
		return errors.New("the kernel has no Landlock, or a filter of system calls forbids it")
	}
	return errors.New("the kernel has no Landlock (needs 5.13 or later, and landlock in the kernel's list of security modules)")
}

// isFiltered reports whether a filter of system calls applies to this process.
func isFiltered() bool {
	status, _ := os.ReadFile("/proc/self/status") // without /proc, no filter is found
	return bytes.Contains(status, []byte("\nSeccomp:\t2\n"))
}

func hasLandlock() bool { return stage.LandlockVersion() > 0 }

func duplicate(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// attempt uses a level once. The helper checks from inside that a hidden file
// cannot be read, and that only the writable directory can be written to.
func (b *Box) attempt(level Level, means string) error {
	dir, err := os.MkdirTemp(b.options.Temp, "bellcord-sandbox-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	hidden, write := filepath.Join(dir, "hidden"), filepath.Join(dir, "write")
	err = errors.Join(os.Mkdir(hidden, 0o700), os.Mkdir(write, 0o700),
		os.WriteFile(filepath.Join(hidden, "file"), []byte("hidden"), 0o600),
		os.WriteFile(filepath.Join(dir, "readable"), nil, 0o600))
	if err != nil {
		return err
	}
	candidate := &Box{level: level, means: means, options: b.options, exe: b.exe, bwrap: b.bwrap}
	candidate.once.Do(func() {})
	w, err := candidate.wrap(Profile{Write: []string{write}, Hide: []string{hidden}}.complete(), []string{"/"}, dir)
	if err != nil {
		return err
	}
	defer w.Close()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := run(ctx, w, write); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "outside")); err == nil {
		return errors.New("a command could write outside its directory")
	}
	if _, err := os.Stat(filepath.Join(write, "file")); err != nil {
		return errors.New("a command could not write to its directory")
	}
	return nil
}

func run(ctx context.Context, w *Wrapped, dir string) error {
	cmd := exec.CommandContext(ctx, w.Args[0], w.Args[1:]...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), w.Env)
	cmd.ExtraFiles = w.Files
	// The session is this process's own: package proc takes a child in another session
	// for an orphan of its commands, and ends it.
	cmd.WaitDelay = time.Second // processes of the attempt may survive its helper
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(said.String()); text != "" {
			return errors.New(strings.TrimPrefix(text, "bellcord: sandbox: "))
		}
		return err
	}
	return nil
}

// abstractGap reports whether a command with the network of the host can reach
// the abstract UNIX sockets of others.
func abstractGap() bool { return stage.LandlockVersion() < 6 }

// landlockGaps returns what this kernel's version of Landlock does not cover.
func landlockGaps(p Profile) []string {
	version := stage.LandlockVersion()
	gaps := []string{
		"file names, sizes and dates outside the workspace can be seen, and the command lines of other processes",
		"in a directory above a hidden path nothing can be listed or created",
		"modes, owners, dates and extended attributes of files can be changed, also those of hidden ones",
	}
	if p.Tmp == "" {
		gaps = append(gaps, "the temporary directory has no size limit")
	}
	if len(p.ReadOnly) > 0 {
		gaps = append(gaps, "read-only paths in a writable directory can be changed (.git/config, .git/hooks)")
	}
	if version < 6 {
		gaps = append(gaps, "the command can send signals to other processes of its user (needs Linux 6.12)")
	}
	if version < 3 {
		gaps = append(gaps, "files outside the workspace can be emptied (needs Linux 6.2)")
	}
	switch {
	case p.Network == Proxy && version < 4:
		gaps = append(gaps, "the proxy cannot be reached: there is no network (needs Linux 6.7)")
	case p.Network == Proxy:
		gaps = append(gaps, "other machines can be reached at the number of the proxy's port")
	case p.Network == On:
		gaps = append(gaps, "services on this machine can be reached over TCP and UDP")
	}
	return gaps
}
