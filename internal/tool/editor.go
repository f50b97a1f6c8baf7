package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool/command"
	"github.com/bellcord/bellcord/internal/tool/workspace"
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
	Env       map[string]string
	Opened    func(id string) // called with the id of the terminal; may be nil
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
			t = t.running(d.readFile)
		case t.Name == "write_file" && d.Write != nil:
			t = t.running(writeFile(d.open))
			t.Refuse = guardWrite(d.open)
			if d.Read != nil {
				t.Preview = previewWrite(d.readShown)
			}
		case t.Name == "edit_file" && d.Read != nil && d.Write != nil:
			t = t.running(editFile(d.open))
			t.Preview = previewEdit(d.open)
		case t.Name == "apply_patch" && d.Read != nil && d.Write != nil:
			t = t.running(applyPatch(d.open))
			t.Preview, t.Refuse = previewPatch(d.open), refusePatch(d.open)
		case t.Name == "shell" && d.Run != nil:
			t = t.running(d.shell(t.Run))
			if own := t.Confined; own != nil {
				t.Confined = inEditor(own)
			}
		default:
			continue
		}
		all = append(all, t)
	}
	return all
}

// editorPath returns an absolute path for the editor. It returns an error for a
// path outside the session's directories, also if links lead there. The file need not exist
// on disk.
func editorPath(call Call, path string) (string, error) {
	root, rel, err := call.dirs().OpenDir(path)
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
	return filepath.Join(root.Name(), rel), nil
}

// text returns lines of a file as the editor has them, unless a rule prevents that.
func (d EditorTools) text(ctx context.Context, call Call, path string, line, limit int) (string, error) {
	if err := call.dirs().Readable(path); err != nil {
		return "", err
	}
	return d.Read(ctx, path, line, limit)
}

// readFile reads a file as the editor has it. A file that exists only in the
// editor is read as well.
func (d EditorTools) readFile(ctx context.Context, call Call) Result {
	a, err := parseReadFile(call.Args)
	if err != nil {
		return failed(err)
	}
	if call.Raw {
		return d.readRaw(ctx, call, a)
	}
	at, absent := call.dirs().OpenRead(ctx, a.Path)
	path := a.Path
	if absent == nil {
		defer at.Close()
		if at.Output {
			return readFile(ctx, call)
		}
		if at.IsDir() {
			return listing(ctx, call, at)
		}
		switch kind, size, err := targetKind(call, at); {
		case err != nil:
			return failed(err)
		case isMedia(kind):
			return readFile(ctx, call)
		case kind != "":
			return failed(notText(at.Path, kind, size))
		}
		path = filepath.Join(at.Root.Name(), at.Path)
	}
	text := ""
	if path, err = editorPath(call, path); err == nil {
		text, err = d.text(ctx, call, path, 0, 0)
	}
	switch {
	case ctx.Err() != nil:
		return stopped("")
	case err != nil && absent != nil:
		return failed(absent)
	case err != nil:
		return failed(err)
	}
	if absent != nil {
		at = workspace.Target{Path: a.Path}
	}
	return a.from(ctx, call, strings.NewReader(text), at)
}

// readShown returns a file as the editor has it, for the preview in a question,
// or nil if it cannot be read or is too long.
func (d EditorTools) readShown(ctx context.Context, call Call, path string) *string {
	path, err := editorPath(call, path)
	if err != nil {
		return nil
	}
	text, err := d.text(ctx, call, path, 0, 0)
	if err != nil || len(text) > mostPreviewed {
		return nil
	}
	return &text
}

// open opens a file as the editor has it, including unsaved changes.
func (d EditorTools) open(ctx context.Context, call Call, path string) (*openedFile, error) {
	in, err := editorPath(call, path)
	if err != nil {
		return nil, err
	}
	t := &openedFile{name: path, close: func() {}}
	t.read(ctx, d, call, in)
	t.write = func(ctx context.Context, text string, _ bool) (bool, error) {
		if err := call.changing(ctx, "", in); err != nil {
			return false, err
		}
		err := d.Write(ctx, in, text)
		if ctx.Err() != nil {
			err = errUnconfirmed
		}
		return t.exists, err
	}
	t.remove = func(ctx context.Context) error { // editors cannot remove files
		onDisk, err := onDisk(ctx, call, path)
		if err != nil {
			return err
		}
		defer onDisk.close()
		return onDisk.remove(ctx)
	}
	return t, nil
}

// read reads the whole file from the editor. The protocol has no error for a
// file that does not exist, so the disk decides.
func (t *openedFile) read(ctx context.Context, d EditorTools, call Call, path string) {
	t.exists = true
	if d.Read == nil {
		t.unreadable = errors.New("the editor does not offer its files for reading")
		return
	}
	t.text, t.unreadable = d.text(ctx, call, path, 0, 0)
	if t.unreadable == nil {
		t.size = int64(len(t.text))
		return
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		t.exists, t.unreadable = false, nil
	}
}

// shell runs a command in a terminal of the editor. Background commands run in
// our own processes, because they must end with the session.
func (d EditorTools) shell(own func(context.Context, Call) Result) func(context.Context, Call) Result {
	return func(ctx context.Context, call Call) Result {
		a, err := parseShell(call.Args)
		dir := ""
		if err == nil {
			dir, err = a.dir(call)
		}
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
			Args: command.Portable(a.Command), Dir: dir, Env: withheld(d.Env), Output: call.Output,
			Confirmed: func(how string) {
				process.How = how
				call.Confirmed(process)
			},
		})
		return editorResult(ctx, a, exit, err)
	}
}

// inEditor returns the sentence about the sandbox for a command that may run in a
// terminal of the editor, which has none.
func inEditor(own func(Call) string) func(Call) string {
	return func(call Call) string {
		if a, _ := parse[shellArgs](call.Args); a.Background { // checked before
			return own(call)
		}
		return "It runs in the editor's terminal, which has no sandbox: the command has all rights of your user."
	}
}

// editorResult returns the result of a command in the editor's terminal. A
// command is never reported as ended unless the editor has confirmed its end.
func editorResult(ctx context.Context, a shellArgs, exit EditorExit, err error) Result {
	result := finished(exit.Output)
	switch {
	case exit.Unconfirmed != "":
		result.Fate = bellcord.CallUnknown
		result.Text = history.ResultText(result.Fate, exit.Output) +
			"\n[the editor has not confirmed that the command ended: " + exit.Unconfirmed + "; it may still be running in the editor's terminal]"
		result.Processes = &bellcord.Processes{Unconfirmed: []bellcord.Process{{Name: a.Command}}}
	case errors.Is(err, ErrEditorNotRun) && ctx.Err() != nil:
		result.Fate = bellcord.CallNotStarted
		result.Text = history.ResultText(result.Fate, "")
	case errors.Is(err, ErrEditorNotRun):
		result = Result{Text: NotOpened(err), Failed: true, Fate: bellcord.CallNotStarted}
	case exit.Stopped && ctx.Err() != nil:
		result.Fate = bellcord.CallStopped
		result.Text = history.ResultText(result.Fate, exit.Output)
		result.Processes = EditorEnded(a.Command)
	case err != nil && exit.Stopped:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[ended because the editor stopped reporting its output: %v]", err)
		result.Processes = EditorEnded(a.Command)
	case err != nil:
		return failed(err)
	case exit.Stopped:
		result.Failed = true
		result.Text += a.timedOut()
		result.Processes = EditorEnded(a.Command)
	case exit.Code != 0:
		result.Failed = true
		result.Text += fmt.Sprintf("\n[exit code %d]", exit.Code)
	}
	return result
}

// NotOpened returns the result of a command that did not run because the editor did
// not open a terminal.
func NotOpened(err error) string { return "[not started: " + err.Error() + "]" }

// withheld returns the variables that an environment withholds, set to "".
func withheld(env secret.Environment) map[string]string {
	all := map[string]string{}
	for _, name := range env.Withheld() {
		all[name] = ""
	}
	return all
}

// EditorEnded returns the processes of a command that the editor reported as
// ended.
func EditorEnded(command string) *bellcord.Processes {
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
