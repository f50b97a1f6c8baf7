package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool/edit"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const writeFileDescription = "Create a file, or replace the whole content of an existing one. The path is relative to the working directory " +
	"(or absolute and inside it); missing directories are created. The file is replaced atomically: it never contains only part of the content. " +
	"To change part of a file, use edit_file."

const writeFileSchema = `{"type":"object","required":["path","content"],"additionalProperties":false,"properties":{` +
	`"path":{"type":"string"},"content":{"type":"string"}}}`

type writeFileArgs struct {
	Path    string  `json:"path"`
	Content *string `json:"content"` // "" is valid
}

// WriteFile returns the tool that creates or replaces a file inside the
// session's directory.
func WriteFile() Tool {
	return Tool{
		Tool:   llm.Tool{Name: "write_file", Description: writeFileDescription, Schema: json.RawMessage(writeFileSchema)},
		Effect: permit.Edits,
		Path:   "path",
		Question: func(args json.RawMessage) string {
			a, err := parseWriteFile(args)
			if err != nil { // checked before
				return "Write a file?"
			}
			asked := fmt.Sprintf("Write %s (%d bytes)?\n%s", workspace.Shown(a.Path), len(*a.Content), diffLines("+", *a.Content, maxQuestionLines))
			return strings.TrimSuffix(asked, "\n")
		},
		Preview: previewWrite(readShown),
		Check: func(args json.RawMessage) error {
			_, err := parseWriteFile(args)
			return err
		},
		Refuse: guardWrite(onDisk),
		Run:    writeFile(onDisk),
	}
}

func parseWriteFile(args json.RawMessage) (writeFileArgs, error) {
	a, err := parse[writeFileArgs](args)
	switch {
	case err != nil:
		return a, err
	case a.Path == "":
		return a, errors.New("arguments: path is missing")
	case a.Content == nil:
		return a, errors.New("arguments: content is missing")
	}
	return a, nil
}

// writeFile returns the Run function of write_file.
func writeFile(open opener) func(context.Context, Call) Result {
	return func(ctx context.Context, call Call) Result {
		a, err := parseWriteFile(call.Args)
		if err != nil {
			return failed(err)
		}
		if strings.HasSuffix(filepath.ToSlash(a.Path), "/") {
			return failed(fmt.Errorf("%s is the name of a directory", workspace.Shown(a.Path)))
		}
		f, err := open(ctx, call, a.Path)
		if err != nil {
			return failed(err)
		}
		defer f.close()
		if ctx.Err() != nil {
			return unwritten(ctx, f.name, nil)
		}
		if err := refuseOverwrite(call, a.Path, f); err != nil {
			return failed(err)
		}
		if err := edit.Placeholder(*a.Content, f.text); err != nil {
			return failed(fmt.Errorf("%s: %w", workspace.Shown(f.name), err))
		}
		content, note := likeBefore(f.text, *a.Content)
		replaced, err := f.write(ctx, content, false)
		if err != nil {
			return unwritten(ctx, f.name, err)
		}
		call.known.add(call, a.Path)
		done, before := "created", (*string)(nil)
		if replaced {
			done, before = "replaced", f.shownText()
		}
		result := finished(fmt.Sprintf("%s %s (%d bytes%s)", done, workspace.Shown(f.name), len(content), note))
		result.Changes = changesOf(call, a.Path, before, content)
		return call.checker.check(ctx, call, result, changedFile{f.name, f.text, content})
	}
}

// likeBefore gives the new text of a file the byte order mark and the line ends
// of the old text: models do not see either of them.
func likeBefore(before, after string) (text, note string) {
	const mark = "\uFEFF"
	text = after
	if lines := strings.Count(before, "\n"); lines > 0 && 2*strings.Count(before, "\r\n") >= lines && !strings.Contains(after, "\r") {
		if text = edit.CRLF(text); text != after {
			note = ", with the file's CRLF line ends"
		}
	}
	if strings.HasPrefix(before, mark) && !strings.HasPrefix(text, mark) {
		text = mark + text
		note += ", with the file's byte order mark"
	}
	return text, note
}
