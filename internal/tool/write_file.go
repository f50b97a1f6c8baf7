package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
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
			asked := fmt.Sprintf("Write %s (%d bytes)?\n%s", shown(a.Path), len(*a.Content), diffLines("+", *a.Content, maxQuestionLines))
			return strings.TrimSuffix(asked, "\n")
		},
		Preview: previewWrite(readShown),
		Check: func(args json.RawMessage) error {
			_, err := parseWriteFile(args)
			return err
		},
		Run: writeFile,
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

func writeFile(ctx context.Context, call Call) Result {
	a, err := parseWriteFile(call.Args)
	if err != nil {
		return failed(err)
	}
	root, path, err := openDir(call, a.Path)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = root.Close() }()
	if strings.HasSuffix(filepath.ToSlash(a.Path), "/") {
		return failed(fmt.Errorf("%s is the name of a directory", shown(a.Path)))
	}
	if ctx.Err() != nil {
		return unwritten(ctx, path, nil)
	}
	undo, err := makeDirs(root, filepath.Dir(path))
	if err != nil {
		undo()
		return failed(err)
	}
	before, err := replace(ctx, call, root, path, *a.Content, nil)
	if err != nil {
		undo()
		return unwritten(ctx, path, err)
	}
	done := "created"
	if before != nil {
		done = "replaced"
	}
	return finished(fmt.Sprintf("%s %s (%d bytes)", done, shown(path), len(*a.Content)))
}

// unwritten returns the result of a write that failed or was stopped before the
// file was replaced.
func unwritten(ctx context.Context, path string, err error) Result {
	if ctx.Err() != nil {
		return Result{
			Text: fmt.Sprintf("[stopped before anything was written: %s is unchanged]", shown(path)),
			Fate: bellcord.CallStopped,
		}
	}
	return failed(err)
}
