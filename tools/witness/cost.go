//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rig runs commands in a temporary directory, bare and under a supervisor.
type rig struct {
	dir, self, socket, record string
	supervisor                *exec.Cmd
}

// measure prints the cost of the filter and what fails under it.
func measure(runs, kills int) error {
	dir, err := os.MkdirTemp("", "witness")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // a command of another user works in it
		return err
	}
	r := &rig{dir: dir, self: filepath.Join(dir, "witness"), socket: filepath.Join(dir, "socket"), record: filepath.Join(dir, "record")}
	program, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.self, program, 0o755); err != nil { //nolint:gosec // another user executes it
		return err
	}
	if err := r.start(); err != nil {
		return err
	}
	defer r.kill()
	if err := r.costs(runs); err != nil {
		return err
	}
	if err := r.failures(); err != nil {
		return err
	}
	return r.deaths(kills)
}

// start starts a supervisor and waits until it accepts launchers.
func (r *rig) start() error {
	_ = os.Remove(r.socket)
	r.supervisor = exec.Command(r.self, "-supervise", r.socket, "-record", r.record) //nolint:noctx // kill ends it
	r.supervisor.Stderr = os.Stderr
	if err := r.supervisor.Start(); err != nil {
		return err
	}
	for range 1000 {
		if exec.Command(r.self, "-socket", r.socket, "--", "true").Run() == nil { //nolint:noctx // it ends by itself
			return nil
		}
		<-time.After(10 * time.Millisecond)
	}
	return errors.New("the supervisor does not accept launchers")
}

func (r *rig) kill() {
	_ = r.supervisor.Process.Kill()
	_ = r.supervisor.Wait()
}

// command returns a shell script as a command, bare or under the supervisor.
func (r *rig) command(witnessed bool, script string) *exec.Cmd {
	args := []string{"sh", "-c", script}
	if witnessed {
		args = append([]string{r.self, "-socket", r.socket, "--"}, args...)
	}
	c := exec.Command(args[0], args[1:]...) //nolint:noctx // the scripts end by themselves
	c.Dir = r.dir
	c.Env = append(os.Environ(), "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e@localhost", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e@localhost",
		"GIT_CONFIG_GLOBAL=/dev/null", "GOFLAGS=-mod=mod", "GOWORK=off")
	return c
}

// output runs a script and returns the last line that it prints.
func (r *rig) output(witnessed bool, script string) (string, error) {
	out, err := r.command(witnessed, script).CombinedOutput()
	lines := strings.Split(string(bytes.TrimSpace(out)), "\n")
	return lines[len(lines)-1], err
}

// works are the measured scripts, each with the one that is run before it.
var works = []struct{ name, before, script string }{
	{"start a command", "true", "true"},
	{"write 5,000 files", "rm -rf many; mkdir many", "i=0; while [ $i -lt 5000 ]; do echo x > many/$i; i=$((i+1)); done"},
	{"git checkout, 2,000 files", "git -C repository checkout -q a", "git -C repository checkout -q b"},
	{"tar x, 2,000 files", "rm -rf unpacked; mkdir unpacked", "tar xf files.tar -C unpacked"},
	{"rm -r, 2,000 files", "rm -rf unpacked; mkdir unpacked; tar xf files.tar -C unpacked", "rm -r unpacked"},
	{"go build, one file changed", "cd hello; date +'package main; const number = %s%N' > number.go", "cd hello; go build -o hello ."},
	{"grep, 2,000 files", "true", "grep -r nothing repository/src; true"},
}

const setUp = `set -e
mkdir -p repository/src hello
i=0; while [ $i -lt 2000 ]; do seq $i $((i+200)) > repository/src/$i; i=$((i+1)); done
tar cf files.tar repository/src
cd repository; git init -q; git add -A; git commit -qm a; git branch a
for f in src/*; do echo b >> $f; done; git add -A; git commit -qm b; git branch b
cd ../hello; printf 'module hello\ngo 1.26\n' > go.mod
printf 'package main\nimport "net/http"\nfunc main() { println(http.StatusText(200), number) }\n' > main.go
echo 'package main; const number = 0' > number.go; go build -o hello .`

// costs prints the medians of each script, bare and witnessed in turn.
func (r *rig) costs(runs int) error {
	if runs == 0 {
		return nil
	}
	if line, err := r.output(false, setUp); err != nil {
		return fmt.Errorf("prepare the files: %w: %s", err, line)
	}
	fmt.Printf("%-28s %9s %11s %7s\n", "cost, medians", "bare ms", "witness ms", "ratio")
	for _, w := range works {
		var took [2][]time.Duration
		for i := range 2 * runs {
			if line, err := r.output(false, w.before); err != nil {
				return fmt.Errorf("%s: %w: %s", w.before, err, line)
			}
			c := r.command(i%2 == 1, w.script)
			start := time.Now()
			if err := c.Run(); err != nil {
				return fmt.Errorf("%s: %w", w.script, err)
			}
			took[i%2] = append(took[i%2], time.Since(start))
		}
		slices.Sort(took[0])
		slices.Sort(took[1])
		bare, witnessed := took[0][runs/2], took[1][runs/2]
		fmt.Printf("%-28s %9.1f %11.1f %7.2f\n", w.name, bare.Seconds()*1000, witnessed.Seconds()*1000, float64(witnessed)/float64(bare))
	}
	return nil
}
