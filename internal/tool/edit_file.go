package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
)

const editFileDescription = "Replace text in a file: old is replaced by new. old must match the file exactly and occur exactly once; set all to replace every occurrence. " +
	"In a file with CRLF line endings, line endings in old and new are treated as CRLF. The file is replaced atomically. Returns what changed."

const editFileSchema = `{"type":"object","required":["path","old","new"],"additionalProperties":false,"properties":{` +
	`"path":{"type":"string"},"old":{"type":"string","minLength":1},"new":{"type":"string"},"all":{"type":"boolean"}}}`

// mostEdited is the maximum size of a file to edit: two copies are in memory.
const mostEdited = 16 << 20

type editFileArgs struct {
	Path string  `json:"path"`
	Old  string  `json:"old"`
	New  *string `json:"new"` // "" removes the old text
	All  bool    `json:"all"`
}

// EditFile returns the tool that replaces text in a file inside the session's
// directory.
func EditFile() Tool {
	return Tool{
		Tool:   llm.Tool{Name: "edit_file", Description: editFileDescription, Schema: json.RawMessage(editFileSchema)},
		Effect: permit.Edits,
		Path:   "path",
		Question: func(args json.RawMessage) string {
			a, err := parseEditFile(args)
			if err != nil { // checked before
				return "Edit a file?"
			}
			where := ""
			if a.All {
				where = " in every place"
			}
			return fmt.Sprintf("Edit %s%s?\n%s", shown(a.Path), where,
				diffLines("-", a.Old, maxQuestionLines)+diffLines("+", *a.New, maxQuestionLines))
		},
		Check: func(args json.RawMessage) error {
			_, err := parseEditFile(args)
			return err
		},
		Preview: func(_ context.Context, call Call) []bellcord.Change {
			a, err := parseEditFile(call.Args)
			if err != nil {
				return nil
			}
			return changeOf(call.Dir, a.Path, &a.Old, *a.New)
		},
		Run: editFile,
	}
}

func parseEditFile(args json.RawMessage) (editFileArgs, error) {
	a, err := parse[editFileArgs](args)
	switch {
	case err != nil:
		return a, err
	case a.Path == "":
		return a, errors.New("arguments: path is missing")
	case a.Old == "":
		return a, errors.New("arguments: old is missing or empty")
	case a.New == nil:
		return a, errors.New("arguments: new is missing")
	case a.Old == *a.New:
		return a, errors.New("arguments: old and new are the same")
	}
	return a, nil
}

func editFile(ctx context.Context, call Call) Result {
	a, err := parseEditFile(call.Args)
	if err != nil {
		return failed(err)
	}
	root, path, err := openDir(call, a.Path)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = root.Close() }()
	f, info, err := openRegular(root, path, call.private)
	if err != nil {
		return failed(err)
	}
	text, err := readAll(ctx, f, info.Size())
	_ = f.Close()
	if err != nil {
		return unwritten(ctx, path, err)
	}
	edited, report, err := a.apply(path, text)
	if err != nil {
		return failed(err)
	}
	if _, err := replace(ctx, call, root, path, edited, info); err != nil {
		return unwritten(ctx, path, err)
	}
	return finished(report)
}

// apply returns a file's text after the edit, and a description of the changes.
func (a editFileArgs) apply(path, text string) (edited, report string, err error) {
	before, after := lineEnds(text, a.Old, *a.New)
	places, count, err := find(text, before, a.All)
	if err == nil && len(text)+count*(len(after)-len(before)) > mostEdited {
		err = fmt.Errorf("the file would be larger than %d bytes", mostEdited)
	}
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", shown(path), err)
	}
	return strings.ReplaceAll(text, before, after), changed(path, text, before, after, places, count), nil
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

// lineEnds converts the line endings of an edit to those of the file, because
// models write \n whatever the file contains. In a file with both kinds, text
// that occurs as given is not converted.
func lineEnds(text, before, after string) (string, string) {
	crlf := strings.Count(text, "\r\n")
	if crlf == 0 || crlf < strings.Count(text, "\n") && strings.Contains(text, before) {
		return before, after
	}
	return toCRLF(before), toCRLF(after)
}

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

// find returns the first places of the old text, and how many there are. If all
// is false, more than one place is an error, including places that overlap.
func find(text, old string, all bool) (places []int, count int, err error) {
	first, last := strings.Index(text, old), strings.LastIndex(text, old)
	switch {
	case first < 0:
		return nil, 0, errors.New("the old text is not in the file; it must match exactly, including whitespace")
	case first != last && !all:
		return nil, 0, fmt.Errorf("the old text occurs more than once, first in line %d, last in line %d; include more of the surrounding lines, or set all",
			lineOf(text, first), lineOf(text, last))
	}
	for at, next := first, 0; next >= 0 && len(places) < mostHunks; at += len(old) + next {
		places = append(places, at)
		next = strings.Index(text[at+len(old):], old)
	}
	return places, strings.Count(text, old), nil
}
