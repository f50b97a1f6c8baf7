package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/bellcord/bellcord"
)

// Desk is what an editor offers of its own, nil for what it does not: its view
// of the files, unsaved changes included, and its terminals.
type Desk struct {
	Read  func(ctx context.Context, path string, line, limit int) (string, error)
	Write func(ctx context.Context, path, content string) error
	Run   func(ctx context.Context, args []string, dir string, output func(string)) (DeskExit, error)
}

// DeskExit is how a command in an editor's terminal ended.
type DeskExit struct {
	Code    int
	Output  string
	Stopped bool
}

// Tools returns those of our own tools that the desk has its part in, using it
// in place of the disk and of our own processes.
func (d Desk) Tools(own []Tool) []Tool {
	var all []Tool
	for _, t := range own {
		switch {
		case t.Name == "read_file" && d.Read != nil:
			t.Run = d.readFile
		case t.Name == "write_file" && d.Write != nil:
			t.Run = d.writeFile
		case t.Name == "shell" && d.Run != nil:
			t.Run = d.shell(t.Run)
		default:
			continue
		}
		all = append(all, t)
	}
	return all
}

// deskPath is a path as an editor wants it: absolute, and inside the directory,
// through links too. The file itself may not be on disk yet.
func deskPath(dir, path string) (string, error) {
	root, rel, err := enter(dir, path)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	for part := rel; part != "."; part = filepath.Dir(part) {
		if _, err := root.Stat(part); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return filepath.Join(dir, rel), nil
}

func (d Desk) readFile(ctx context.Context, call Call) Result {
	a, err := parse[readFileArgs](call.Args)
	if err != nil {
		return failed(err)
	}
	path, err := deskPath(call.Dir, a.Path)
	if err != nil {
		return failed(err)
	}
	text, err := d.Read(ctx, path, a.Offset, a.Limit)
	switch {
	case ctx.Err() != nil:
		return stopped("")
	case err != nil:
		return failed(err)
	case len(text) > mostRead:
		text = text[:mostRead] + fmt.Sprintf("\n[cut after %d bytes; read on with offset]", mostRead)
	}
	return finished(text)
}

func (d Desk) writeFile(ctx context.Context, call Call) Result {
	a, err := parseWriteFile(call.Args)
	if err != nil {
		return failed(err)
	}
	path, err := deskPath(call.Dir, a.Path)
	if err != nil {
		return failed(err)
	}
	switch err := d.Write(ctx, path, *a.Content); {
	case ctx.Err() != nil: // the editor has not said whether it wrote
		return Result{Text: bellcord.ResultText(bellcord.Unknown, ""), Fate: bellcord.Unknown}
	case err != nil:
		return failed(err)
	}
	return finished(fmt.Sprintf("wrote %s (%d bytes)", shown(a.Path), len(*a.Content)))
}

// shell runs a command in a terminal of the editor's. What goes on in the
// background is ours to end with the session, so it stays with us.
func (d Desk) shell(own func(context.Context, Call) Result) func(context.Context, Call) Result {
	return func(ctx context.Context, call Call) Result {
		a, err := parse[shellArgs](call.Args)
		switch {
		case err != nil:
			return failed(err)
		case a.Background:
			return own(ctx, call)
		}
		limited, done := context.WithTimeout(ctx, a.timeout())
		defer done()
		exit, err := d.Run(limited, interpreter(a.Command), call.Dir, call.Output)
		result := finished(exit.Output)
		switch {
		case exit.Stopped && ctx.Err() != nil:
			result.Fate = bellcord.CallStopped
			result.Text = bellcord.ResultText(result.Fate, exit.Output)
			result.Processes = &bellcord.Processes{
				Ended: []bellcord.Process{{Name: a.Command, How: "asked"}}, Proof: "the editor's word",
			}
		case exit.Stopped:
			result.Failed = true
			result.Text += fmt.Sprintf("\n[ended after %s: it took too long]", a.timeout())
		case err != nil:
			return failed(err)
		case exit.Code != 0:
			result.Failed = true
			result.Text += fmt.Sprintf("\n[exit code %d]", exit.Code)
		}
		return result
	}
}

// named reads one string out of arguments that were checked before.
func named(field string) func(string, json.RawMessage) string {
	return func(_ string, args json.RawMessage) string {
		var all map[string]json.RawMessage
		var value string
		_ = json.Unmarshal(args, &all)
		_ = json.Unmarshal(all[field], &value)
		return value
	}
}

// pathIn reads a path likewise, as rules know it: relative to the directory and
// clean, however it was written.
func pathIn(field string) func(string, json.RawMessage) string {
	return func(dir string, args json.RawMessage) string {
		path := named(field)(dir, args)
		if rel, err := inRoot(dir, path); err == nil {
			path = rel
		}
		return filepath.ToSlash(path)
	}
}
