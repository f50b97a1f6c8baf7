package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const readFileDescription = "Read a text file. The path is relative to the working directory (or absolute and inside it). " +
	"Each line is returned as its number, → and its text; the number and → are not part of the file. " +
	"offset is the first line to return, counted from 1; limit is the maximum number of lines. " +
	"One call returns at most 2000 lines and 50 KB, and 2000 characters of a line. A note at the end contains the number of lines and the next offset if lines are missing. " +
	"A directory is listed. Images and PDFs are shown to models that accept them."

const readFileSchema = `{"type":"object","required":["path"],"additionalProperties":false,"properties":{` +
	`"path":{"type":"string"},"offset":{"type":"integer","minimum":1},"limit":{"type":"integer","minimum":1}}}`

type readFileArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// ReadFile returns the tool that reads a text file inside the session's
// directory. Links cannot lead outside.
func ReadFile() Tool {
	return Tool{
		Tool:  llm.Tool{Name: "read_file", Description: readFileDescription, Schema: json.RawMessage(readFileSchema)},
		Safe:  true,
		Path:  "path",
		Lists: "list_dir",
		Check: func(args json.RawMessage) error {
			_, err := parseReadFile(args)
			return err
		},
		Run: readFile,
	}
}

func parseReadFile(args json.RawMessage) (readFileArgs, error) {
	a, err := parse[readFileArgs](args)
	switch {
	case err == nil && a.Path == "":
		err = errors.New("arguments: path is missing")
	case err == nil && (a.Offset < 0 || a.Limit < 0):
		err = errors.New("arguments: offset and limit must be at least 1")
	}
	return a, err
}

func readFile(ctx context.Context, call Call) Result {
	a, err := parseReadFile(call.Args)
	if err != nil {
		return failed(err)
	}
	if call.Raw {
		return a.raw(ctx, call)
	}
	at, err := call.dirs().OpenRead(ctx, a.Path)
	if err != nil {
		return failed(err)
	}
	defer at.Close()
	if at.IsDir() {
		return listing(ctx, call, at)
	}
	f, info, err := workspace.OpenRegular(at.Root, at.Path, call.private)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = f.Close() }()
	kind, err := kindOf(f)
	switch {
	case err != nil:
		return failed(err)
	case isMedia(kind):
		return readMedia(ctx, call, at, f, kind, info.Size())
	case kind != "":
		return failed(notText(at.Path, kind, info.Size()))
	}
	return a.from(ctx, call, f, at)
}

// from returns the requested lines of an open file, and records that the session
// has read it.
func (a readFileArgs) from(ctx context.Context, call Call, r io.Reader, at workspace.Target) Result {
	if a.Offset == 0 {
		a.Offset = at.Line
	}
	text, err := numbered(ctx, r, max(a.Offset, 1), a.Limit)
	var past pastEnd
	switch {
	case ctx.Err() != nil:
		return stopped(text)
	case errors.As(err, &past):
		return failed(fmt.Errorf("offset %d is after the end: %s has %s", a.Offset, workspace.Shown(at.Path), plural.Count(int(past), "line")))
	case err != nil:
		return failed(err)
	case text == "":
		text = fmt.Sprintf("[%s is empty]\n", workspace.Shown(at.Path))
	}
	path := at.Path
	if at.Root != nil { // nil for a file that exists only in the editor
		path = filepath.Join(at.Root.Name(), at.Path)
	}
	call.known.add(call, path) // not a.Path, which may be a mistake
	return noted(at, finished(text))
}

// noted returns the result of a finished call with the target's note.
func noted(t workspace.Target, r Result) Result {
	if !r.Failed && r.Fate == bellcord.CallFinished {
		r.Text = t.Note + r.Text
	}
	return r
}

// listing returns the listing of a directory that was given as a file.
func listing(ctx context.Context, call Call, t workspace.Target) Result {
	t.Note += fmt.Sprintf("[%s is a directory; its entries:]\n", workspace.Shown(t.Path))
	return noted(t, list(ctx, call, t.Root, t.Path, listDirArgs{Depth: 1}))
}

// targetKind returns the kind of the target, or "" if it is text, and its size.
func targetKind(call Call, t workspace.Target) (kind string, size int64, err error) {
	f, info, err := workspace.OpenRegular(t.Root, t.Path, call.private)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = f.Close() }()
	kind, err = kindOf(f)
	return kind, info.Size(), err
}

// kindOf returns the kind of a file, or "" if it is text. It leaves the offset of
// the file at the beginning.
func kindOf(f *os.File) (string, error) {
	head := make([]byte, workspace.Peeked)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	return workspace.BinaryKind(head[:n]), nil
}

func notText(path, kind string, size int64) error {
	return fmt.Errorf("%s is not text: %s, %d bytes", workspace.Shown(path), kind, size)
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
