package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool/search"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const globDescription = "Find files and directories by name, the newest first. The pattern is matched against paths relative to path " +
	"(default: the working directory): * and ? match within one name, ** matches any number of directories, [a-z] one character, {a,b} either. " +
	"Example: **/*.go. Results are relative to the working directory; directories end in /. Hidden files are included; .git and files that .gitignore rules exclude are skipped " +
	"(include_ignored includes the latter), symbolic links are not followed. At most 1000 results."

const globSchema = `{"type":"object","required":["pattern"],"additionalProperties":false,"properties":{` +
	`"pattern":{"type":"string"},"path":{"type":"string"},"include_ignored":{"type":"boolean"}}}`

type globArgs struct {
	Pattern        string `json:"pattern"`
	Path           string `json:"path"`
	IncludeIgnored bool   `json:"include_ignored"`
}

// Glob returns the tool that finds files by name inside the session's
// directory.
func Glob() Tool {
	return Tool{
		Tool: llm.Tool{Name: "glob", Description: globDescription, Schema: json.RawMessage(globSchema)},
		Safe: true,
		Path: "path",
		Check: func(args json.RawMessage) error {
			a, err := parse[globArgs](args)
			if err != nil {
				return err
			}
			_, pattern := splitAbsolute(a.Pattern)
			_, err = search.ParsePatterns(pattern)
			return err
		},
		Run: glob,
	}
}

func glob(ctx context.Context, call Call) Result {
	a, err := parse[globArgs](call.Args)
	if err != nil {
		return failed(err)
	}
	if dir, pattern := splitAbsolute(a.Pattern); dir != "" {
		if a.Path, err = call.inside(dir); err != nil {
			return failed(err)
		}
		a.Pattern = pattern
	}
	at, err := call.dirs().OpenRead(ctx, a.Path)
	if err != nil {
		return failed(err)
	}
	defer at.Close()
	result, found := a.run(ctx, call, at)
	if found || result.Failed || ctx.Err() != nil || strings.Contains(a.Pattern, "/") {
		return noted(at, result)
	}
	deeper := a
	deeper.Pattern = "**/" + a.Pattern
	if again, found := deeper.run(ctx, call, at); found || ctx.Err() != nil {
		at.Note += fmt.Sprintf("[nothing matches %s in the directory itself; these match %s]\n", workspace.Shown(a.Pattern), workspace.Shown(deeper.Pattern))
		result = again
	}
	return noted(at, result)
}

// run searches for the pattern and reports whether something was found.
func (a globArgs) run(ctx context.Context, call Call, at workspace.Target) (result Result, found bool) {
	wanted, err := search.ParsePatterns(a.Pattern)
	if err != nil {
		return failed(err), false
	}
	var all []globbed
	w := search.Walk{Private: call.private, IncludeIgnored: a.IncludeIgnored, Named: wanted.Named, Visit: collect(wanted, at, &all)}
	err = w.In(ctx, at.Root, at.Path)
	if err == nil {
		slices.SortStableFunc(all, func(a, b globbed) int { return b.modified.Compare(a.modified) })
		if len(all) > search.MostFound {
			all, err = all[:search.MostFound], search.ErrEnough
		}
	}
	var out strings.Builder
	for _, m := range all {
		out.WriteString(workspace.Shown(call.dirs().Reported(at.Root, m.path)) + m.end + "\n")
	}
	return outcome(ctx, &w, out.String(), err,
		fmt.Sprintf("[cut after the newest %d results; narrow the pattern]", search.MostFound), "[no matches]"), len(all) > 0
}

// collect returns a function that adds each entry that matches to all. The
// patterns are relative to the target.
func collect(all search.Patterns, at workspace.Target, found *[]globbed) func(search.Entry) error {
	return func(e search.Entry) error {
		names := at.Names(e.Path)
		if all.Match(names) {
			m := globbed{path: e.Path}
			if _, modified, err := e.Dir.Stat(e.Name()); err == nil {
				m.modified = modified
			}
			if e.IsDir() {
				m.end = "/"
			}
			*found = append(*found, m)
		}
		if e.IsDir() && !all.Reach(names) {
			return fs.SkipDir
		}
		return nil
	}
}

// globbed is a result of glob.
type globbed struct {
	path     string
	end      string // "/" for a directory
	modified time.Time
}

// inside returns the path for OpenRead that an absolute path in a pattern refers
// to. It refuses the additional directories, because rules for the argument path
// would not apply there.
func (c Call) inside(path string) (string, error) {
	rel, err := workspace.InRoot(c.Dir, path)
	if err == nil {
		return cmp.Or(rel, "."), nil
	}
	if _, _, other := c.dirs().Locate(path); other == nil {
		return "", fmt.Errorf("%w; set path to search in an additional directory", err)
	}
	if rest := strings.Trim(filepath.ToSlash(path), "/"); rest == "" || slices.Contains(workspace.Containers, rest) {
		return ".", nil
	}
	return path, nil
}

// splitAbsolute splits an absolute pattern after the last directory without
// special characters. The directory is "" if the pattern is relative.
func splitAbsolute(pattern string) (dir, rest string) {
	if !filepath.IsAbs(pattern) && !strings.HasPrefix(pattern, "/") {
		return "", pattern
	}
	pattern = filepath.ToSlash(pattern)
	end := strings.IndexAny(pattern, `*?[{\`)
	if end < 0 {
		end = len(pattern)
	}
	end = strings.LastIndexByte(pattern[:end], '/')
	return pattern[:end+1], pattern[end+1:]
}
