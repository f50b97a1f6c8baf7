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
	"github.com/bellcord/bellcord/internal/tool/search"
	"github.com/bellcord/bellcord/internal/tool/workspace"
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
	at, err := call.dirs().OpenRead(ctx, a.Path)
	if err != nil {
		return failed(err)
	}
	defer at.Close()
	return noted(at, list(ctx, call, at.Root, at.Path, a))
}

// list lists a directory, to a.Depth levels.
func list(ctx context.Context, call Call, root *os.Root, dir string, a listDirArgs) Result {
	var out strings.Builder
	listed := 0
	w := search.Walk{Private: call.private, IncludeIgnored: a.IncludeIgnored, Visit: func(e search.Entry) error {
		if listed++; listed > search.MostFound {
			return search.ErrEnough
		}
		name, err := filepath.Rel(dir, e.Path)
		if err != nil {
			return err
		}
		out.WriteString(workspace.Shown(name) + about(e) + "\n")
		if strings.Count(name, string(filepath.Separator))+1 >= a.Depth {
			return fs.SkipDir
		}
		return nil
	}}
	err := w.In(ctx, root, dir)
	none := "[empty]"
	if w.Ignored > 0 {
		none = "[nothing that is not ignored]"
	}
	return outcome(ctx, &w, out.String(), err,
		fmt.Sprintf("[cut after %d entries; list a subdirectory or use glob]", search.MostFound), none)
}

// outcome returns the result of a walk that ended with err.
func outcome(ctx context.Context, w *search.Walk, out string, err error, cut, none string) Result {
	switch {
	case errors.Is(err, search.ErrEnough):
		return finished(out + cut + "\n" + w.Note())
	case err != nil && ctx.Err() != nil:
		return stopped(out)
	case err != nil:
		return failed(err)
	case out == "":
		return finished(none + "\n" + w.Note())
	}
	return finished(out + w.Note())
}

// about returns the text that a listing shows after a name.
func about(e search.Entry) string {
	switch kind := e.Type(); {
	case kind.IsDir():
		return "/"
	case kind.IsRegular():
		size, _, err := e.Dir.Stat(e.Name())
		if err != nil {
			return ""
		}
		return fmt.Sprintf("\t%d", size)
	case kind&fs.ModeSymlink != 0:
		target, err := e.Dir.Readlink(e.Name())
		if err != nil {
			return "\t[link]"
		}
		return " -> " + workspace.Shown(target)
	case kind&fs.ModeNamedPipe != 0:
		return "\t[pipe]"
	case kind&fs.ModeSocket != 0:
		return "\t[socket]"
	}
	return "\t[device]"
}
