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

	"github.com/bellcord/bellcord/internal/llm"
)

const listDirDescription = "List a directory (default: the working directory), sorted by name, including hidden entries. " +
	"Directories end in /, files are followed by a tab and their size in bytes, symbolic links show their target and are not followed. " +
	"depth is the number of levels to list (default 1). At most 1000 entries."

const listDirSchema = `{"type":"object","additionalProperties":false,"properties":{` +
	`"path":{"type":"string"},"depth":{"type":"integer","minimum":1}}}`

type listDirArgs struct {
	Path  string `json:"path"`
	Depth int    `json:"depth"`
}

// ListDir returns the tool that lists a directory inside the session's
// directory.
func ListDir() Tool {
	return Tool{
		Tool: llm.Tool{Name: "list_dir", Description: listDirDescription, Schema: json.RawMessage(listDirSchema)},
		Safe: true,
		Path: "path",
		Check: func(args json.RawMessage) error {
			_, err := parseListDir(args)
			return err
		},
		Run: listDir,
	}
}

func parseListDir(args json.RawMessage) (listDirArgs, error) {
	a, err := parse[listDirArgs](args)
	if err == nil && a.Depth < 0 {
		err = errors.New("arguments: depth must be at least 1")
	}
	a.Depth = max(a.Depth, 1)
	return a, err
}

func listDir(ctx context.Context, call Call) Result {
	a, err := parseListDir(call.Args)
	if err != nil {
		return failed(err)
	}
	root, dir, err := openDir(call, a.Path)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = root.Close() }()

	var out strings.Builder
	listed := 0
	w := walk{root: root, private: call.private, visit: func(path string, entry fs.DirEntry) error {
		if listed++; listed > mostFound {
			return errEnough
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		out.WriteString(shown(name) + about(root, path, entry) + "\n")
		if strings.Count(name, string(filepath.Separator))+1 >= a.Depth {
			return fs.SkipDir
		}
		return nil
	}}
	err = w.in(ctx, dir)
	return w.outcome(ctx, out.String(), err,
		fmt.Sprintf("[cut after %d entries; list a subdirectory or use glob]", mostFound), "[empty]")
}

// about returns the text that a listing shows after a name.
func about(root *os.Root, path string, entry fs.DirEntry) string {
	switch kind := entry.Type(); {
	case kind.IsDir():
		return "/"
	case kind.IsRegular():
		info, err := entry.Info()
		if err != nil {
			return ""
		}
		return fmt.Sprintf("\t%d", info.Size())
	case kind&fs.ModeSymlink != 0:
		target, err := root.Readlink(path)
		if err != nil {
			return "\t[link]"
		}
		return " -> " + shown(target)
	case kind&fs.ModeNamedPipe != 0:
		return "\t[pipe]"
	case kind&fs.ModeSocket != 0:
		return "\t[socket]"
	}
	return "\t[device]"
}
