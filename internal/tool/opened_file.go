package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// mostEdited is the maximum size of a file to edit: two copies are in memory.
const mostEdited = 16 << 20

// openedFile is a file that a call changes: on disk, or as an editor has it.
type openedFile struct {
	name   string // as later calls can use it
	text   string // the whole text, if the file exists and can be read
	exists bool
	size   int64 // in bytes
	// unreadable is why the text is unknown, or nil.
	unreadable error
	// write replaces the whole text. With unchanged set, it fails if the file has
	// changed since it was opened. It reports whether there was a file before.
	write func(ctx context.Context, text string, unchanged bool) (replaced bool, err error)
	// remove removes the file.
	remove func(ctx context.Context) error
	close  func()
}

// shownText returns the text for display, or nil if the file does not exist or
// cannot be shown.
func (f *openedFile) shownText() *string {
	if !f.exists || f.unreadable != nil || !utf8.ValidString(f.text) {
		return nil
	}
	return &f.text
}

// opener opens the file at a path as an openedFile. The caller closes it.
type opener func(ctx context.Context, call Call, path string) (*openedFile, error)

// onDisk opens a file of the session's directories.
func onDisk(ctx context.Context, call Call, path string) (*openedFile, error) {
	root, rel, err := call.dirs().OpenDir(path)
	if err != nil {
		return nil, err
	}
	t := &openedFile{name: call.dirs().Reported(root, rel), close: func() { _ = root.Close() }}
	f, info, err := workspace.OpenRegular(root, rel, call.private)
	switch {
	case err == nil:
		t.text, t.unreadable = readAll(ctx, f, info.Size())
		t.exists, t.size = true, info.Size()
		_ = f.Close()
	case !errors.Is(err, fs.ErrNotExist):
		t.exists, t.unreadable = true, err
		if there, err := root.Stat(rel); err == nil && there.Mode().IsRegular() {
			t.size = there.Size()
		}
	}
	t.write = func(ctx context.Context, text string, unchanged bool) (bool, error) {
		expected := info
		if !unchanged {
			expected = nil
		}
		return writeOnDisk(ctx, call, root, rel, text, expected)
	}
	t.remove = func(ctx context.Context) error { return removeOnDisk(ctx, call, root, rel, info) }
	return t, nil
}

// writeOnDisk replaces a file, and creates its directories if they are missing.
func writeOnDisk(ctx context.Context, call Call, root *os.Root, rel, text string, expected fs.FileInfo) (bool, error) {
	if err := call.changing(ctx, root.Name(), rel); err != nil {
		return false, err
	}
	undo, err := makeDirs(root, filepath.Dir(rel))
	if err != nil {
		undo()
		return false, err
	}
	before, err := replace(ctx, call, root, rel, text, expected)
	if err != nil {
		undo()
	}
	return before != nil, err
}

// errUnconfirmed is returned if an editor has not confirmed a write before the
// call was stopped.
var errUnconfirmed = errors.New("the editor has not confirmed the write")

// unwritten returns the result of a write that failed or was stopped before the
// file was replaced.
func unwritten(ctx context.Context, path string, err error) Result {
	switch {
	case errors.Is(err, errUnconfirmed):
		return Result{Text: history.ResultText(bellcord.CallUnknown, ""), Fate: bellcord.CallUnknown}
	case ctx.Err() != nil:
		return Result{
			Text: fmt.Sprintf("[stopped before anything was written: %s is unchanged]", workspace.Shown(path)),
			Fate: bellcord.CallStopped,
		}
	}
	return failed(err)
}

// readAll reads a file of at most mostEdited bytes.
func readAll(ctx context.Context, f *os.File, size int64) (string, error) {
	var text strings.Builder
	for {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if max(size, int64(text.Len())) > mostEdited {
			return "", fmt.Errorf("the file is larger than %d bytes; edit it with a shell command", mostEdited)
		}
		_, err := io.CopyN(&text, f, 64<<10)
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
}
