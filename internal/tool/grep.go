package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bellcord/bellcord/internal/llm"
)

const grepDescription = "Search text files line by line for a regular expression (RE2 syntax). path is a file or directory (default: the working directory); " +
	"glob limits the search to files whose name (*.go) or path relative to path (src/**/*.ts) matches. context adds that many lines (at most 10) around each match. " +
	"Returns path:line:text for a match and path-line-text for context; lines are cut at 400 characters. " +
	"Hidden files are included; .git and binary files are skipped, symbolic links are not followed. Returns at most max matches (default and maximum: 200)."

const grepSchema = `{"type":"object","required":["pattern"],"additionalProperties":false,"properties":{` +
	`"pattern":{"type":"string"},"path":{"type":"string"},"glob":{"type":"string"},"ignore_case":{"type":"boolean"},` +
	`"context":{"type":"integer","minimum":0,"maximum":10},"max":{"type":"integer","minimum":1,"maximum":200}}}`

const (
	mostMatches = 200
	mostContext = 10
)

type grepArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context"`
	Max        int    `json:"max"`
}

// Grep returns the tool that searches files inside the session's directory.
func Grep() Tool {
	return Tool{
		Tool: llm.Tool{Name: "grep", Description: grepDescription, Schema: json.RawMessage(grepSchema)},
		Safe: true,
		Path: "path",
		Check: func(args json.RawMessage) error {
			_, _, _, err := parseGrep(args)
			return err
		},
		Run: grep,
	}
}

func parseGrep(args json.RawMessage) (a grepArgs, re *regexp.Regexp, files patterns, err error) {
	if a, err = parse[grepArgs](args); err != nil {
		return a, nil, nil, err
	}
	switch {
	case a.Pattern == "":
		return a, nil, nil, errors.New("arguments: pattern is missing")
	case a.Context < 0 || a.Context > mostContext:
		return a, nil, nil, fmt.Errorf("arguments: context must be between 0 and %d", mostContext)
	case a.Max < 0 || a.Max > mostMatches:
		return a, nil, nil, fmt.Errorf("arguments: max must be between 1 and %d", mostMatches)
	case a.Max == 0:
		a.Max = mostMatches
	}
	pattern := a.Pattern
	if a.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	if re, err = regexp.Compile(pattern); err != nil {
		return a, nil, nil, fmt.Errorf("arguments: %w", err)
	}
	if a.Glob == "" {
		return a, re, nil, nil
	}
	if !strings.Contains(a.Glob, "/") {
		a.Glob = "**/" + a.Glob
	}
	files, err = parsePatterns(a.Glob)
	return a, re, files, err
}

func grep(ctx context.Context, call Call) Result {
	a, re, files, err := parseGrep(call.Args)
	if err != nil {
		return failed(err)
	}
	root, start, err := openDir(call, a.Path)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = root.Close() }()
	if ctx.Err() != nil {
		return stopped("")
	}

	s := search{root: root, private: call.private, re: re, context: a.Context, most: a.Max}
	w := walk{root: root, private: call.private}
	w.visit = func(path string, entry fs.DirEntry) error {
		if entry.Name() == ".git" {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(start, path)
		if err != nil {
			return err
		}
		names := strings.Split(filepath.ToSlash(rel), "/")
		switch {
		case entry.IsDir():
			if files != nil && !files.reach(names) {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || files != nil && !files.match(names):
			return nil
		}
		err = s.file(ctx, path)
		if err == nil || ctx.Err() != nil || errors.Is(err, errEnough) {
			return err
		}
		w.missed(err)
		return nil
	}

	info, err := root.Stat(start)
	switch {
	case err != nil:
		return failed(err)
	case info.IsDir():
		err = w.in(ctx, start)
	default:
		err = s.file(ctx, start)
		if s.binary > 0 {
			return failed(fmt.Errorf("%s is not a text file", shown(start)))
		}
	}
	w.remark = s.note()
	return w.outcome(ctx, s.out.String(), err,
		fmt.Sprintf("[there are more results than these %d; narrow the search]", s.matches), "[no matches]")
}
