package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
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
			_, err = parsePatterns(pattern)
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
	at, err := openRead(ctx, call, a.Path)
	if err != nil {
		return failed(err)
	}
	defer at.close()
	result, found := a.run(ctx, call, at)
	if found || result.Failed || ctx.Err() != nil || strings.Contains(a.Pattern, "/") {
		return at.noted(result)
	}
	deeper := a
	deeper.Pattern = "**/" + a.Pattern
	if again, found := deeper.run(ctx, call, at); found || ctx.Err() != nil {
		at.note += fmt.Sprintf("[nothing matches %s in the directory itself; these match %s]\n", shown(a.Pattern), shown(deeper.Pattern))
		result = again
	}
	return at.noted(result)
}

// run searches for the pattern and reports whether something was found.
func (a globArgs) run(ctx context.Context, call Call, at target) (result Result, found bool) {
	wanted, err := parsePatterns(a.Pattern)
	if err != nil {
		return failed(err), false
	}
	var all []globbed
	w := walk{call: call, includeIgnored: a.IncludeIgnored, visit: wanted.collect(at, &all)}
	err = w.in(ctx, at.root, at.path)
	if err == nil {
		slices.SortStableFunc(all, func(a, b globbed) int { return b.modified.Compare(a.modified) })
		if len(all) > mostFound {
			all, err = all[:mostFound], errEnough
		}
	}
	var out strings.Builder
	for _, m := range all {
		out.WriteString(shown(call.reported(at.root, m.path)) + m.end + "\n")
	}
	return w.outcome(ctx, out.String(), err,
		fmt.Sprintf("[cut after the newest %d results; narrow the pattern]", mostFound), "[no matches]"), len(all) > 0
}

// globbed is a result of glob.
type globbed struct {
	path     string
	end      string // "/" for a directory
	modified time.Time
}

// inside returns the path for openRead that an absolute path in a pattern refers
// to. It refuses the additional directories, because rules for the argument path
// would not apply there.
func (c Call) inside(path string) (string, error) {
	rel, err := inRoot(c.Dir, path)
	if err == nil {
		return cmp.Or(rel, "."), nil
	}
	if _, _, other := locate(c.Dir, c.AdditionalDirs, path); other == nil {
		return "", fmt.Errorf("%w; set path to search in an additional directory", err)
	}
	if rest := strings.Trim(filepath.ToSlash(path), "/"); rest == "" || slices.Contains(containers, rest) {
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
