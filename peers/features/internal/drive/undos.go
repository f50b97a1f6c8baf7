package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Undoing is a series of turns of one agent behind Bellcord that change files by a command or by a
// tool of the agent, are stopped, and then undone.
type Undoing struct {
	v     *Visit
	done  map[string]int // by the way in which the files were changed
	wrong []string
}

// changeBound is how long an agent may take until it has changed the files.
const changeBound = time.Minute

// Undo stops and undoes n turns in one session.
func (v *Visit) Undo(n int) (*Undoing, error) {
	if err := v.openMain(); err != nil {
		return nil, err
	}
	defer v.client.disconnect()
	u := &Undoing{v: v, done: map[string]int{}}
	v.file("kept.txt", "not changed by any turn\n")
	for i := range n {
		if v.ctx.Err() != nil {
			return u, context.Cause(v.ctx)
		}
		how, err := u.undoOne(i)
		if err != nil {
			u.wrong = append(u.wrong, fmt.Sprintf("turn %d, by %s: %v", i, how, err))
			continue
		}
		u.done[how]++
	}
	return u, nil
}

// String describes the series in one line.
func (u *Undoing) String() string {
	return fmt.Sprintf("%d turns by a command and %d by a tool of the agent stopped and undone exactly, %d wrong", u.done["command"], u.done["tool"], len(u.wrong))
}

// Wrong returns what was wrong.
func (u *Undoing) Wrong() []string { return u.wrong }

// undoOne runs a turn that changes files and does not end, stops it and undoes it.
func (u *Undoing) undoOne(i int) (how string, err error) {
	v := u.v
	edited := v.file("edited.txt", fmt.Sprintf("text before turn %d\n", i))
	made := filepath.Join(v.work, fmt.Sprintf("made-%d.txt", i))
	how = "command"
	use := v.shell("echo changed > edited.txt; mkdir -p sub; echo x > sub/y; printf made > " + filepath.Base(made) + "; sleep 60")
	if v.kit.create != nil && i%2 == 1 {
		how, use = "tool", v.kit.create(made, newText+"\n")
		if v.kit.overwrites {
			made = v.file(filepath.Base(made), savedText+"\n")
		}
	}
	before, err := tree(v.work)
	if err != nil {
		return how, err
	}
	if err := u.stopWhen(fmt.Sprintf("[reset] [tool %s %s] [then [slow 2000 10ms]]", use.tool, use.args), func() bool {
		text, err := os.ReadFile(made)
		return err == nil && len(text) > 0 && string(text) != savedText+"\n"
	}); err != nil {
		return how, err
	}
	if err := u.runUndo(); err != nil {
		return how, err
	}
	after, err := tree(v.work)
	if err == nil && !maps.Equal(before, after) {
		err = fmt.Errorf("the tree differs: before %v, after %v", before, after)
	}
	_ = os.Remove(edited)
	return how, err
}

// stopWhen sends a prompt, waits until the files are changed, and stops the turn.
func (u *Undoing) stopWhen(text string, changed func() bool) error {
	c := u.v.client
	m, id := c.request("session/prompt", object{"sessionId": u.v.session, "prompt": []object{textBlock(text)}})
	from := c.count()
	if err := c.write(m); err != nil {
		return err
	}
	var unchanged error
	for deadline := time.Now().Add(changeBound); unchanged == nil && !changed(); u.v.pause(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			unchanged = fmt.Errorf("the agent did not change the files within %s", changeBound)
		}
	}
	if err := u.v.cancel(); err != nil {
		return err
	}
	ctx, done := context.WithTimeout(u.v.ctx, stopBound)
	defer done()
	_, err := c.await(ctx, from, answers(id))
	return errors.Join(unchanged, err)
}

// runUndo undoes the last turn with the command, as a person does.
func (u *Undoing) runUndo() error {
	args := []string{"undo", "--yes", "--json"}
	for i, word := range u.v.command.Args {
		if word == "--config" || word == "--data-dir" {
			args = append(args, word, u.v.command.Args[i+1])
		}
	}
	cmd := exec.CommandContext(u.v.ctx, u.v.command.Args[0], args...)
	cmd.Env = u.v.command.Env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("undo: %w: %s%s", err, errs.String(), out)
	}
	var result struct{ Restored, Conflicts int }
	if err := json.Unmarshal(out, &result); err != nil {
		return err
	}
	if result.Restored == 0 || result.Conflicts > 0 {
		return fmt.Errorf("undo: %s", out)
	}
	return nil
}

// tree returns the files below a directory, without the repository.
func tree(dir string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			all[path] = "directory"
			return nil
		}
		text, err := os.ReadFile(path) //nolint:gosec // the agent has ended its turn
		all[path] = string(text)
		return err
	})
	return all, err
}
