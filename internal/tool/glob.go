package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord/internal/llm"
)

const globDescription = "Find files and directories by name, sorted. The pattern is matched against paths relative to path " +
	"(default: the working directory): * and ? match within one name, ** matches any number of directories, [a-z] one character, {a,b} either. " +
	"Example: **/*.go. Results are relative to the working directory; directories end in /. Hidden files are included, .git is skipped, symbolic links are not followed. At most 1000 results."

const globSchema = `{"type":"object","required":["pattern"],"additionalProperties":false,"properties":{` +
	`"pattern":{"type":"string"},"path":{"type":"string"}}}`

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
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
			_, err = parsePatterns(a.Pattern)
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
	wanted, err := parsePatterns(a.Pattern)
	if err != nil {
		return failed(err)
	}
	root, dir, err := openDir(call, a.Path)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = root.Close() }()

	var out strings.Builder
	found := 0
	w := walk{root: root, private: call.private, visit: func(name string, entry fs.DirEntry) error {
		if entry.Name() == ".git" {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		names := strings.Split(filepath.ToSlash(rel), "/")
		if wanted.match(names) {
			if found++; found > mostFound {
				return errEnough
			}
			out.WriteString(shown(name))
			if entry.IsDir() {
				out.WriteByte('/')
			}
			out.WriteByte('\n')
		}
		if !wanted.reach(names) {
			return fs.SkipDir
		}
		return nil
	}}
	err = w.in(ctx, dir)
	return w.outcome(ctx, out.String(), err,
		fmt.Sprintf("[cut after %d results; narrow the pattern]", mostFound), "[no matches]")
}

// patterns are alternatives, each split at its slashes.
type patterns [][]string

// mostPatterns limits the number of alternatives that braces expand to.
const mostPatterns = 256

func parsePatterns(pattern string) (patterns, error) {
	if pattern == "" {
		return nil, errors.New("arguments: pattern is missing")
	}
	var all patterns
	todo := []string{pattern}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		if before, options, after, ok := braces(p); ok {
			for _, option := range options {
				todo = append(todo, before+option+after)
			}
			if len(todo)+len(all) > mostPatterns {
				return nil, errors.New("arguments: too many alternatives in braces")
			}
			continue
		}
		parts := strings.Split(path.Clean(p), "/")
		for _, part := range parts {
			if _, err := path.Match(part, ""); err != nil || part == "" || part == ".." {
				return nil, fmt.Errorf("arguments: %q is not a valid pattern for paths inside the directory", p)
			}
		}
		if parts[len(parts)-1] == "**" {
			parts = append(parts, "*") // everything inside, not the directory itself
		}
		all = append(all, parts)
	}
	return all, nil
}

// braces splits a pattern at its last {a,b}, which contains no other braces.
func braces(p string) (before string, options []string, after string, ok bool) {
	open := strings.LastIndexByte(p, '{')
	if open < 0 {
		return "", nil, "", false
	}
	size := strings.IndexByte(p[open:], '}')
	if size < 0 {
		return "", nil, "", false
	}
	return p[:open], strings.Split(p[open+1:open+size], ","), p[open+size+1:], true
}

func (all patterns) match(names []string) bool {
	for _, p := range all {
		if matchParts(p, names) {
			return true
		}
	}
	return false
}

// matchParts backtracks only to the last **, so its time is bounded by the
// product of the lengths.
func matchParts(parts, names []string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(names) {
		switch {
		case p < len(parts) && parts[p] == "**":
			star, mark = p, n
			p++
		case p < len(parts) && matchName(parts[p], names[n]):
			p, n = p+1, n+1
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return p == len(parts)
}

// reach reports whether something below a directory can match.
func (all patterns) reach(names []string) bool {
	for _, p := range all {
		if reachParts(p, names) {
			return true
		}
	}
	return false
}

func reachParts(parts, names []string) bool {
	for i, name := range names {
		switch {
		case parts[i] == "**":
			return true
		case i+1 == len(parts) || !matchName(parts[i], name):
			return false
		}
	}
	return true
}

func matchName(part, name string) bool {
	ok, err := path.Match(part, name)
	return err == nil && ok
}
