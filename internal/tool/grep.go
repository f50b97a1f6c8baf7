package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool/search"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

const grepDescription = "Search text files line by line for a regular expression (RE2 syntax). path is a file or directory (default: the working directory); " +
	"glob limits the search to files whose name (*.go) or path relative to path (src/**/*.ts) matches. context adds that many lines (at most 10) around each match. " +
	"Returns path:line:text for a match and path-line-text for context, the newest files first; lines are cut at 400 characters. " +
	"With more than 50 matches it returns the files with their number of matches; max (at most 200) returns that many lines instead. " +
	"Hidden files are included; .git, files that .gitignore rules exclude (include_ignored includes them) and binary files are skipped, symbolic links are not followed."

const grepSchema = `{"type":"object","required":["pattern"],"additionalProperties":false,"properties":{` +
	`"pattern":{"type":"string"},"path":{"type":"string"},"glob":{"type":"string"},"ignore_case":{"type":"boolean"},` +
	`"context":{"type":"integer","minimum":0,"maximum":10},"max":{"type":"integer","minimum":1,"maximum":200},"include_ignored":{"type":"boolean"}}}`

const (
	mostMatches = 200
	mostContext = 10
)

type grepArgs struct {
	Pattern        string `json:"pattern"`
	Path           string `json:"path"`
	Glob           string `json:"glob"`
	IgnoreCase     bool   `json:"ignore_case"`
	Context        int    `json:"context"`
	Max            int    `json:"max"`
	IncludeIgnored bool   `json:"include_ignored"`
}

// Grep returns the tool that searches files inside the session's directory.
func Grep() Tool {
	return Tool{
		Tool: llm.Tool{Name: "grep", Description: grepDescription, Schema: json.RawMessage(grepSchema)},
		Safe: true,
		Path: "path",
		Check: func(args json.RawMessage) error {
			a, err := parseGrep(args)
			if err == nil {
				_, err = search.Compile(a.Pattern, a.IgnoreCase)
			}
			if err == nil {
				_, err = a.files("/")
			}
			return err
		},
		Run: grep,
	}
}

func parseGrep(args json.RawMessage) (grepArgs, error) {
	a, err := parse[grepArgs](args)
	switch {
	case err != nil:
	case a.Pattern == "":
		err = errors.New("arguments: pattern is missing")
	case a.Context < 0 || a.Context > mostContext:
		err = fmt.Errorf("arguments: context must be between 0 and %d", mostContext)
	case a.Max < 0 || a.Max > mostMatches:
		err = fmt.Errorf("arguments: max must be between 1 and %d", mostMatches)
	}
	return a, err
}

// files returns the patterns for the paths of files, relative to the argument
// path, or nil if all files are searched.
func (a grepArgs) files(dir string) (search.Patterns, error) {
	if a.Glob == "" {
		return nil, nil
	}
	glob := strings.TrimPrefix(filepath.ToSlash(a.Glob), filepath.ToSlash(dir)+"/")
	if glob = strings.TrimLeft(glob, "/"); !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return search.ParsePatterns(glob)
}

func grep(ctx context.Context, call Call) Result {
	a, err := parseGrep(call.Args)
	if err != nil {
		return failed(err)
	}
	at, err := call.dirs().OpenRead(ctx, a.Path)
	if err != nil {
		return failed(err)
	}
	defer at.Close()
	if ctx.Err() != nil {
		return stopped("")
	}
	e, err := search.Compile(a.Pattern, a.IgnoreCase)
	if err != nil {
		return failed(err)
	}
	result, found := a.run(ctx, call, at, e)
	if other, ok := search.Alternation(a.Pattern, a.IgnoreCase); ok && !found && !result.Failed && ctx.Err() == nil {
		if again, found := a.run(ctx, call, at, other); found || ctx.Err() != nil {
			result, e = again, other
		}
	}
	at.Note += e.Note
	return noted(at, result)
}

// run searches for one expression and reports whether something was found.
func (a grepArgs) run(ctx context.Context, call Call, at workspace.Target, e search.Expression) (result Result, found bool) {
	files, err := a.files(filepath.Join(at.Root.Name(), at.Path))
	if err != nil {
		return failed(err), false
	}
	s := search.Search{At: at, Dirs: call.dirs(), Expression: e, Context: a.Context}
	w := search.Walk{Private: call.private, IncludeIgnored: a.IncludeIgnored}
	if files != nil {
		w.Named = files.Named
	}
	w.Visit = func(e search.Entry) error {
		names := at.Names(e.Path)
		switch {
		case e.IsDir():
			if files != nil && !files.Reach(names) {
				return fs.SkipDir
			}
			return nil
		case !e.Type().IsRegular() || files != nil && !files.Match(names):
			return nil
		}
		err := s.File(ctx, e)
		if err == nil || ctx.Err() != nil || errors.Is(err, search.ErrEnough) {
			return err
		}
		w.Missed(e.Path, err)
		return nil
	}
	if at.IsDir() {
		err = w.In(ctx, at.Root, at.Path)
	} else if err = s.Only(ctx); s.Binary > 0 {
		return failed(fmt.Errorf("%s is not a text file", workspace.Shown(at.Path))), false
	}
	if err != nil && !errors.Is(err, search.ErrEnough) {
		return outcome(ctx, &w, s.Counts(), err, "", ""), len(s.Found) > 0
	}
	out, cut, failure := s.Output(ctx, a.Max, errors.Is(err, search.ErrEnough))
	if failure != nil {
		err = failure
	}
	w.Remark = cut + s.Note()
	if errors.Is(err, search.ErrEnough) {
		err = nil // the note contains it
	}
	return outcome(ctx, &w, out, err, "", "[no matches]"), len(s.Found) > 0
}
