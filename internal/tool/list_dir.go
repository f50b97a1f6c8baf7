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
	"depth is the number of levels to list (default 1). .git and names that .gitignore rules exclude are not listed; include_ignored lists the latter. At most 1000 entries."

const listDirSchema = `{"type":"object","additionalProperties":false,"properties":{` +
	`"path":{"type":"string"},"depth":{"type":"integer","minimum":1},"include_ignored":{"type":"boolean"}}}`

type listDirArgs struct {
	Path           string `json:"path"`
	Depth          int    `json:"depth"`
	IncludeIgnored bool   `json:"include_ignored"`
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
	at, err := openRead(ctx, call, a.Path)
	if err != nil {
		return failed(err)
	}
	defer at.close()
	return at.noted(list(ctx, call, at.root, at.path, a))
}

// list lists a directory, to a.Depth levels.
func list(ctx context.Context, call Call, root *os.Root, dir string, a listDirArgs) Result {
	var out strings.Builder
	listed := 0
	w := walk{call: call, includeIgnored: a.IncludeIgnored, visit: func(e entry) error {
		if listed++; listed > mostFound {
			return errEnough
		}
		name, err := filepath.Rel(dir, e.path)
		if err != nil {
			return err
		}
		out.WriteString(shown(name) + about(e) + "\n")
		if strings.Count(name, string(filepath.Separator))+1 >= a.Depth {
			return fs.SkipDir
		}
		return nil
	}}
	err := w.in(ctx, root, dir)
	none := "[empty]"
	if w.ignored > 0 {
		none = "[nothing that is not ignored]"
	}
	return w.outcome(ctx, out.String(), err,
		fmt.Sprintf("[cut after %d entries; list a subdirectory or use glob]", mostFound), none)
}

// about returns the text that a listing shows after a name.
func about(e entry) string {
	switch kind := e.Type(); {
	case kind.IsDir():
		return "/"
	case kind.IsRegular():
		info, err := e.Info()
		if err != nil {
			return ""
		}
		return fmt.Sprintf("\t%d", info.Size())
	case kind&fs.ModeSymlink != 0:
		target, err := e.dir.Readlink(e.Name())
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
