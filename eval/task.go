package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"
)

//go:embed testdata/tasks
var taskFiles embed.FS

// task is a small piece of work with a check. Its commands run in bash, in the
// task's directory.
type task struct {
	name      string
	prompt    string
	stop      time.Duration // after this time the turn of prompt is stopped; 0 for never
	then      string        // a second prompt, or ""
	needs     []string      // programs
	setup     string
	check     string // exits with 0 if the task is solved
	reference string // solves the task
}

// loadTasks returns the tasks, sorted by name.
func loadTasks() ([]task, error) {
	files, err := fs.ReadDir(taskFiles, "testdata/tasks")
	if err != nil {
		return nil, err
	}
	var tasks []task
	for _, f := range files {
		text, err := taskFiles.ReadFile(path.Join("testdata/tasks", f.Name()))
		if err != nil {
			return nil, err
		}
		t, err := parseTask(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		t.name = strings.TrimSuffix(f.Name(), ".task")
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// parseTask parses sections, each after a line "-- name --".
func parseTask(text string) (task, error) {
	var t task
	var wait, needs string
	sections := map[string]*string{
		"prompt": &t.prompt, "stop": &wait, "then": &t.then, "needs": &needs, "setup": &t.setup, "check": &t.check, "reference": &t.reference,
	}
	var at *string
	for line := range strings.Lines(text) {
		if name, is := strings.CutPrefix(strings.TrimSuffix(line, " --\n"), "-- "); is {
			if at = sections[name]; at == nil {
				return t, fmt.Errorf("unknown section %q", name)
			}
			continue
		}
		if at == nil {
			return t, fmt.Errorf("%q is in no section", line)
		}
		*at += line
	}
	for _, section := range sections {
		*section = strings.TrimSuffix(*section, "\n")
	}
	t.needs = strings.Fields(needs)
	if t.prompt == "" || t.check == "" {
		return t, fmt.Errorf("prompt or check is missing")
	}
	if wait == "" {
		return t, nil
	}
	var err error
	t.stop, err = time.ParseDuration(wait)
	return t, err
}

// missing returns the programs that the task needs and this machine does not
// have.
func (t task) missing() []string {
	var none []string
	for _, program := range t.needs {
		if _, err := exec.LookPath(program); err != nil {
			none = append(none, program)
		}
	}
	return none
}

// bash runs one of the task's commands in dir. The error contains the output.
func bash(ctx context.Context, dir, command string) error {
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
