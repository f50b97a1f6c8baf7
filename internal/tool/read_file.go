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

	"github.com/bellcord/bellcord/internal/llm"
)

const readFileDescription = "Read a text file. The path is relative to the working directory (or absolute and inside it). " +
	"Each line is returned as its number, → and its text; the number and → are not part of the file. " +
	"offset is the first line to return, counted from 1; limit is the maximum number of lines. " +
	"One call returns at most 2000 lines and 50 KB, and 2000 characters of a line. A note at the end contains the number of lines and the next offset if lines are missing. " +
	"A directory is listed."

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
		Tool: llm.Tool{Name: "read_file", Description: readFileDescription, Schema: json.RawMessage(readFileSchema)},
		Safe: true,
		Path: "path",
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
	at, err := openRead(ctx, call, a.Path)
	if err != nil {
		return failed(err)
	}
	defer at.close()
	if at.isDir() {
		return at.listed(ctx, call)
	}
	f, info, err := openRegular(at.root, at.path, call.private)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = f.Close() }()
	if err := textFile(at.path, f, info.Size()); err != nil {
		return failed(err)
	}
	return a.from(ctx, call, f, at)
}

// from returns the requested lines of an open file, and records that the session
// has read it.
func (a readFileArgs) from(ctx context.Context, call Call, r io.Reader, at target) Result {
	if a.Offset == 0 {
		a.Offset = at.line
	}
	text, err := numbered(ctx, r, max(a.Offset, 1), a.Limit)
	var past pastEnd
	switch {
	case ctx.Err() != nil:
		return stopped(text)
	case errors.As(err, &past):
		return failed(fmt.Errorf("offset %d is after the end: %s has %d %s", a.Offset, shown(at.path), int(past), plural(int(past), "line")))
	case err != nil:
		return failed(err)
	case text == "":
		text = fmt.Sprintf("[%s is empty]\n", shown(at.path))
	}
	path := at.path
	if at.root != nil { // nil for a file that exists only in the editor
		path = filepath.Join(at.root.Name(), at.path)
	}
	call.known.add(call, path) // not a.Path, which may be a mistake
	return at.noted(finished(text))
}

func (t target) isDir() bool {
	info, err := t.root.Stat(t.path)
	return err == nil && info.IsDir()
}

// listed returns the listing of a directory that was given as a file.
func (t target) listed(ctx context.Context, call Call) Result {
	t.note += fmt.Sprintf("[%s is a directory; its entries:]\n", shown(t.path))
	return t.noted(list(ctx, call, t.root, t.path, listDirArgs{Depth: 1}))
}

// isText returns an error if the target is not a text file.
func (t target) isText(call Call) error {
	f, info, err := openRegular(t.root, t.path, call.private)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return textFile(t.path, f, info.Size())
}

// textFile returns an error with the kind and the size of the file if it is not
// text. It leaves the offset of the file at the beginning.
func textFile(path string, f *os.File, size int64) error {
	head := make([]byte, peeked)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if kind := binaryKind(head[:n]); kind != "" {
		return fmt.Errorf("%s is not text: %s, %d bytes", shown(path), kind, size)
	}
	return nil
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
