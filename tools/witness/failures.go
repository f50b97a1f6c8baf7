//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// failures prints what commands do under a supervisor that works.
func (r *rig) failures() error {
	fmt.Println("\nunder the filter")
	line, _ := r.output(true, r.self+" -socket "+r.socket+" -- true")
	fmt.Printf("a second listener inside: %s\n", line)
	if os.Getuid() == 0 {
		for _, witnessed := range []bool{false, true} {
			c := r.command(witnessed, "./id -u")
			if err := r.setUser("id"); err != nil {
				return err
			}
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			out, err := c.CombinedOutput()
			fmt.Printf("a setuid program of user 0, started by user 65534, witnessed %v: it has user %s (%v)\n", witnessed, bytes.TrimSpace(out), err)
		}
	}
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Println("a write with io_uring: not tried, there is no node")
		return nil
	}
	for _, ring := range []string{"0", "1"} {
		if line, err := r.output(true, "UV_USE_IO_URING="+ring+" node -e \"require('fs').promises.writeFile('by-node-"+ring+"', 'x')\""); err != nil {
			return fmt.Errorf("node: %w: %s", err, line)
		}
		record, err := os.ReadFile(r.record)
		if err != nil {
			return err
		}
		_, err = os.Stat(filepath.Join(r.dir, "by-node-"+ring))
		fmt.Printf("a write by node with UV_USE_IO_URING=%s: written %v, announced %v\n", ring, err == nil, bytes.Contains(record, []byte("by-node-"+ring)))
	}
	return nil
}

// setUser makes a copy of a program that runs as its owner.
func (r *rig) setUser(name string) error {
	program, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	own := filepath.Join(r.dir, name)
	if err := os.WriteFile(own, data, 0o755); err != nil { //nolint:gosec // another user executes it
		return err
	}
	return os.Chmod(own, 0o755|os.ModeSetuid)
}

// after are commands that run after the supervisor was killed.
var after = []string{
	"cat text", "grep -r one text", "echo x > new", "cat text > /dev/null", "rm text", "mkdir new", "git status", "git commit -q --allow-empty -m x",
	"cd sources; go build -o /dev/null .",
}

// deaths prints what commands do after the supervisor was killed, and what git
// leaves behind if that happens while it commits.
func (r *rig) deaths(kills int) error {
	fmt.Println("\nafter the supervisor was killed")
	const prepare = `mkdir -p dead/sources; cd dead; echo one > text; git init -q
printf 'module m\ngo 1.26\n' > sources/go.mod; printf 'package main\nfunc main() {}\n' > sources/main.go`
	if line, err := r.output(false, prepare); err != nil {
		return fmt.Errorf("prepare the files: %w: %s", err, line)
	}
	for _, script := range after {
		c := r.command(true, "echo; read go; cd dead; "+script)
		line, err := r.orphan(c)
		var failed *exec.ExitError
		if err != nil && !errors.As(err, &failed) {
			return err
		}
		fmt.Printf("%-36s %v: %s\n", script, c.ProcessState, line)
	}
	locked := 0
	for i := range kills {
		locks, err := r.cutGit(fmt.Sprint("git", i))
		if err != nil {
			return err
		}
		if len(locks) > 0 {
			locked++
			fmt.Println("git left", strings.Join(locks, " "))
		}
	}
	fmt.Printf("%d of %d repositories have a lock file that git left\n", locked, kills)
	return nil
}

// orphan starts a command, kills its supervisor when the command has printed a
// line, and then lets it go on. It returns the last line of the output.
func (r *rig) orphan(c *exec.Cmd) (string, error) {
	in, err := c.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		return "", err
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		return "", err
	}
	r.kill()
	if _, err := in.Write([]byte("go\n")); err != nil {
		return "", err
	}
	var text bytes.Buffer
	_, err = text.ReadFrom(out)
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	return lines[len(lines)-1], errors.Join(err, c.Wait(), r.start())
}

// cutGit kills the supervisor while git commits, and returns the lock files that
// are left when git has ended.
func (r *rig) cutGit(name string) ([]string, error) {
	if line, err := r.output(false, "git init -q "+name); err != nil {
		return nil, fmt.Errorf("git init: %w: %s", err, line)
	}
	c := r.command(true, "cd "+name+"; while git commit -q --allow-empty -m x; do :; done")
	if err := c.Start(); err != nil {
		return nil, err
	}
	<-time.After(time.Duration(200+rand.IntN(300)) * time.Millisecond)
	r.kill()
	_ = c.Wait()
	var locks []string
	err := filepath.WalkDir(filepath.Join(r.dir, name, ".git"), func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".lock") {
			locks = append(locks, strings.TrimPrefix(path, r.dir+"/"+name+"/"))
		}
		return err
	})
	return locks, errors.Join(err, r.start())
}
