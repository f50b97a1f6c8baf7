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

// EditorTools contains the functions that an editor provides: access to its files,
// including unsaved changes, and its terminals. Functions that it does not
// provide are nil.
type EditorTools struct {
	Read  func(ctx context.Context, path string, line, limit int) (string, error)
	Write func(ctx context.Context, path, content string) error
	Run   func(ctx context.Context, c EditorCommand) (EditorExit, error)
	// Env is the environment of commands. An editor's terminals inherit the
	// editor's environment; variables that Env withholds are set to "" there.
	Env secret.Environment
}

// EditorCommand is a command for an editor's terminal. Confirmed is called when
// the editor confirms the command's end after Run has returned an unconfirmed
// exit.
type EditorCommand struct {
	Args      []string
	Dir       string
	Blank     []string // variables to set to ""
	Output    func(string)
	Confirmed func(how string)
}

// EditorExit is the result of a command in an editor's terminal. Unconfirmed is
// the reason why the command may not have ended, or "" if it has.
type EditorExit struct {
	Code        int
	Output      string
	Stopped     bool
	Unconfirmed string
}

// ErrEditorNotRun is returned if the editor did not open a terminal, so that no
// command ran.
var ErrEditorNotRun = errors.New("the editor did not open a terminal")

// Tools returns those of the tools in own that the editor supports, changed to
// use the editor instead of the disk and our processes.
func (d EditorTools) Tools(own []Tool) []Tool {
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

// editorPath returns an absolute path for the editor. It returns an error for a
// path outside the directory, also if links lead there. The file need not exist
// on disk.
func editorPath(call Call, path string) (string, error) {
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

func (d EditorTools) readFile(ctx context.Context, call Call) Result {
	a, err := parse[readFileArgs](call.Args)
	if err != nil {
		return failed(err)
	}
	path, err := editorPath(call, a.Path)
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

// readShown returns a file as the editor has it, for the preview in a question,
// or nil if it cannot be read or is too long.
func (d EditorTools) readShown(ctx context.Context, call Call, path string) *string {
	path, err := editorPath(call, path)
	if err != nil {
		return nil
	}
	text, err := d.Read(ctx, path, 0, 0)
	if err != nil || len(text) > mostPreviewed {
		return nil
	}
	return &text
}

func (d EditorTools) writeFile(ctx context.Context, call Call) Result {
	a, err := parseWriteFile(call.Args)
	if err != nil {
		return failed(err)
	}
	path, err := editorPath(call, a.Path)
	if err != nil {
		return failed(err)
	}
	switch err := d.Write(ctx, path, *a.Content); {
	case ctx.Err() != nil: // the editor has not confirmed the write
		return Result{Text: bellcord.ResultText(bellcord.CallUnknown, ""), Fate: bellcord.CallUnknown}
	case err != nil:
		return failed(err)
	}
	return finished(fmt.Sprintf("wrote %s (%d bytes)", shown(a.Path), len(*a.Content)))
}

// editFile edits a file as the editor has it, including unsaved changes.
func (d EditorTools) editFile(ctx context.Context, call Call) Result {
	a, err := parseEditFile(call.Args)
	if err != nil {
		return failed(err)
	}
	path, err := editorPath(call, a.Path)
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
	case ctx.Err() != nil: // the editor has not confirmed the write
		return Result{Text: bellcord.ResultText(bellcord.CallUnknown, ""), Fate: bellcord.CallUnknown}
	case err != nil:
		return failed(err)
	}
	return finished(report)
}

// shell runs a command in a terminal of the editor. Background commands run in
// our own processes, because they must end with the session.
func (d EditorTools) shell(own func(context.Context, Call) Result) func(context.Context, Call) Result {
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
		exit, err := d.Run(limited, EditorCommand{
			Args: interpreter(a.Command), Dir: call.Dir, Blank: d.Env.Withheld(), Output: call.Output,
			Confirmed: func(how string) {
				process.How = how
				call.Confirmed(process)
			},
		})
		return editorResult(ctx, a, exit, err)
	}
}

// editorResult returns the result of a command in the editor's terminal. A
// command is never reported as ended unless the editor has confirmed its end.
func editorResult(ctx context.Context, a shellArgs, exit EditorExit, err error) Result {
	result := finished(exit.Output)
	switch {
	case exit.Unconfirmed != "":
		result.Fate = bellcord.CallUnknown
		result.Text = bellcord.ResultText(result.Fate, exit.Output) +
			"\n[the editor has not confirmed that the command ended: " + exit.Unconfirmed + "; it may still be running in the editor's terminal]"
		result.Processes = &bellcord.Processes{Unconfirmed: []bellcord.Process{{Name: a.Command}}}
	case errors.Is(err, ErrEditorNotRun) && ctx.Err() != nil:
		result.Fate = bellcord.CallNotStarted
		result.Text = bellcord.ResultText(result.Fate, "")
	case exit.Stopped && ctx.Err() != nil:
		result.Fate = bellcord.CallStopped
		result.Text = bellcord.ResultText(result.Fate, exit.Output)
		result.Processes = terminatedCommand(a.Command)
	case err != nil && exit.Stopped:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[ended because the editor stopped reporting its output: %v]", err)
		result.Processes = terminatedCommand(a.Command)
	case err != nil:
		return failed(err)
	case exit.Stopped:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[ended after %s: timeout]", a.timeout())
		result.Processes = terminatedCommand(a.Command)
	case exit.Code != 0:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[exit code %d]", exit.Code)
	}
	return result
}

func terminatedCommand(command string) *bellcord.Processes {
	return &bellcord.Processes{Ended: []bellcord.Process{{Name: command, How: "terminated"}}, Proof: "editor_reported"}
}

// named returns a function that extracts one string from checked arguments.
func named(field string) func(string, json.RawMessage) string {
	return func(_ string, args json.RawMessage) string {
		var all map[string]json.RawMessage
		var value string
		_ = json.Unmarshal(args, &all)
		_ = json.Unmarshal(all[field], &value)
		return value
	}
}
