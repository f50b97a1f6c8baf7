package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/secret"
)

// Desk is what an editor offers of its own, nil for what it does not: its view
// of the files, unsaved changes included, and its terminals.
type Desk struct {
	Read  func(ctx context.Context, path string, line, limit int) (string, error)
	Write func(ctx context.Context, path, content string) error
	Run   func(ctx context.Context, c DeskCommand) (DeskExit, error)
	// Env is that of commands. The editor gives its terminals its own environment;
	// what Env withholds is set to nothing there.
	Env secret.Environment
}

// DeskCommand is a command for an editor's terminal. Confirmed is called when
// the editor confirms its end after Run has returned an unconfirmed exit.
type DeskCommand struct {
	Args      []string
	Dir       string
	Blank     []string // variables that are to be empty
	Output    func(string)
	Confirmed func(how string)
}

// DeskExit is how a command in an editor's terminal ended. Unconfirmed is why
// it is not known whether it has; empty where it is.
type DeskExit struct {
	Code        int
	Output      string
	Stopped     bool
	Unconfirmed string
}

// ErrDeskNotRun means that no command ran: the editor did not open a terminal.
var ErrDeskNotRun = errors.New("the editor did not open a terminal")

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
			if d.Read != nil {
				t.Preview = previewWrite(d.readShown)
			}
		case t.Name == "edit_file" && d.Read != nil && d.Write != nil:
			t.Run = d.editFile
		case t.Name == "shell" && d.Run != nil:
			t.Run = d.shell(t.Run)
		default:
			continue
		}
		all = append(all, t.keepOut(t.private))
	}
	return all
}

// deskPath is a path as an editor wants it: absolute, and inside the directory,
// through links too. The file itself may not be on disk yet.
func deskPath(call Call, path string) (string, error) {
	root, rel, err := openDir(call, path)
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
	return filepath.Join(call.Dir, rel), nil
}

func (d Desk) readFile(ctx context.Context, call Call) Result {
	a, err := parse[readFileArgs](call.Args)
	if err != nil {
		return failed(err)
	}
	path, err := deskPath(call, a.Path)
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
		text = text[:mostRead] + fmt.Sprintf("\n[cut after %d bytes; continue with offset]", mostRead)
	}
	return finished(text)
}

// readShown returns a file, as the editor has it, for a question to show.
func (d Desk) readShown(ctx context.Context, call Call, path string) *string {
	path, err := deskPath(call, path)
	if err != nil {
		return nil
	}
	text, err := d.Read(ctx, path, 0, 0)
	if err != nil || len(text) > mostPreviewed {
		return nil
	}
	return &text
}

func (d Desk) writeFile(ctx context.Context, call Call) Result {
	a, err := parseWriteFile(call.Args)
	if err != nil {
		return failed(err)
	}
	path, err := deskPath(call, a.Path)
	if err != nil {
		return failed(err)
	}
	switch err := d.Write(ctx, path, *a.Content); {
	case ctx.Err() != nil: // the editor has not said whether it wrote
		return Result{Text: bellcord.ResultText(bellcord.CallUnknown, ""), Fate: bellcord.CallUnknown}
	case err != nil:
		return failed(err)
	}
	return finished(fmt.Sprintf("wrote %s (%d bytes)", shown(a.Path), len(*a.Content)))
}

// editFile edits a file as the editor has it, unsaved changes included.
func (d Desk) editFile(ctx context.Context, call Call) Result {
	a, err := parseEditFile(call.Args)
	if err != nil {
		return failed(err)
	}
	path, err := deskPath(call, a.Path)
	if err != nil {
		return failed(err)
	}
	text, err := d.Read(ctx, path, 0, 0)
	if err != nil || ctx.Err() != nil {
		return unwritten(ctx, a.Path, err)
	}
	edited, report, err := a.apply(a.Path, text)
	if err != nil {
		return failed(err)
	}
	switch err := d.Write(ctx, path, edited); {
	case ctx.Err() != nil: // the editor has not said whether it wrote
		return Result{Text: bellcord.ResultText(bellcord.CallUnknown, ""), Fate: bellcord.CallUnknown}
	case err != nil:
		return failed(err)
	}
	return finished(report)
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
		process := bellcord.Process{Name: a.Command}
		exit, err := d.Run(limited, DeskCommand{
			Args: interpreter(a.Command), Dir: call.Dir, Blank: d.Env.Withheld(), Output: call.Output,
			Confirmed: func(how string) {
				process.How = how
				call.Confirmed(process)
			},
		})
		return deskResult(ctx, a, exit, err)
	}
}

// deskResult is what a command in the editor's terminal came to. A command that
// the editor has not confirmed to have ended is never reported as ended.
func deskResult(ctx context.Context, a shellArgs, exit DeskExit, err error) Result {
	result := finished(exit.Output)
	switch {
	case exit.Unconfirmed != "":
		result.Fate = bellcord.CallUnknown
		result.Text = bellcord.ResultText(result.Fate, exit.Output) +
			"\n[the editor has not confirmed that the command ended: " + exit.Unconfirmed + "; it may still be running in the editor's terminal]"
		result.Processes = &bellcord.Processes{Unconfirmed: []bellcord.Process{{Name: a.Command}}}
	case errors.Is(err, ErrDeskNotRun) && ctx.Err() != nil:
		result.Fate = bellcord.CallNotStarted
		result.Text = bellcord.ResultText(result.Fate, "")
	case exit.Stopped && ctx.Err() != nil:
		result.Fate = bellcord.CallStopped
		result.Text = bellcord.ResultText(result.Fate, exit.Output)
		result.Processes = asked(a.Command)
	case err != nil && exit.Stopped:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[ended because the editor stopped reporting its output: %v]", err)
		result.Processes = asked(a.Command)
	case err != nil:
		return failed(err)
	case exit.Stopped:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[ended after %s: timeout]", a.timeout())
		result.Processes = asked(a.Command)
	case exit.Code != 0:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[exit code %d]", exit.Code)
	}
	return result
}

func asked(command string) *bellcord.Processes {
	return &bellcord.Processes{Ended: []bellcord.Process{{Name: command, How: "terminated"}}, Proof: "editor_reported"}
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
