package lsp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// quiet is how long a server that publishes errors must be silent before its last list
// counts as complete.
const quiet = 200 * time.Millisecond

// snapshot is the errors of files, by path.
type snapshot map[string][]Problem

// check returns the errors that the changes have caused. The server first gets the
// files as they were, so that it is known which errors are new.
func (l *link) check(ctx context.Context, files []File) ([]Problem, error) {
	if err := l.lock(ctx); err != nil {
		return nil, err
	}
	defer l.unlock()
	defer l.closeAll(files)
	found, err := l.compare(ctx, files)
	if err == nil {
		l.failures = 0
	} else if l.failures++; l.failures == mostFailures {
		go l.end() // and starts again with the next change
	}
	return found, err
}

// mostFailures is the number of checks in a row without an answer after which a server
// is ended.
const mostFailures = 3

func (l *link) compare(ctx context.Context, files []File) ([]Problem, error) {
	l.version += 2
	first, second := l.version-1, l.version
	marks := l.numbers()
	var existing []File
	for _, f := range files {
		if f.Before != "" {
			l.conn.Notify("textDocument/didOpen", documentParams{document{URI: uriOf(f.Path), LanguageID: languageID(f.Path), Version: first, Text: f.Before}})
			existing = append(existing, f)
		}
	}
	before, err := l.awaitErrors(ctx, existing, first, marks)
	if err != nil {
		return nil, err
	}
	marks = l.numbers()
	for _, f := range files {
		if f.Before == "" {
			l.conn.Notify("textDocument/didOpen", documentParams{document{URI: uriOf(f.Path), LanguageID: languageID(f.Path), Version: second, Text: f.After}})
			continue
		}
		l.conn.Notify("textDocument/didChange", changeParams{document{URI: uriOf(f.Path), Version: second}, []change{{f.After}}})
	}
	after, err := l.awaitErrors(ctx, files, second, marks)
	if err != nil {
		return nil, err
	}
	return l.newErrors(files, before, after), nil
}

// closeAll closes the files in the server, and reports their change on disk.
func (l *link) closeAll(files []File) {
	var changes []watched
	for _, f := range files {
		kind := fileChanged
		if f.Before == "" {
			kind = fileCreated
		}
		changes = append(changes, watched{uriOf(f.Path), kind})
		l.conn.Notify("textDocument/didClose", documentParams{document{URI: uriOf(f.Path)}})
	}
	l.conn.Notify("workspace/didChangeWatchedFiles", watchedParams{changes})
}

// numbers returns how often the errors of each file were published.
func (l *link) numbers() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]int{}
	for path, p := range l.latest {
		all[path] = p.number
	}
	return all
}

// awaitErrors returns the errors of all files once the server has reported those of the
// given files in their version, after the publications that marks counts.
func (l *link) awaitErrors(ctx context.Context, files []File, version int, marks map[string]int) (snapshot, error) {
	if l.pulls {
		return l.pull(ctx, files)
	}
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for {
		l.mu.Lock()
		published, complete := l.published, true
		for _, f := range files {
			p := l.latest[f.Path]
			complete = complete && p.number > marks[f.Path] && (!l.versions || p.version >= version)
		}
		l.mu.Unlock()
		timer.Reset(quiet)
		select {
		case <-published:
			continue
		case <-timer.C:
			if complete {
				return l.errors(), nil
			}
		case <-l.running.Done():
			return nil, errRestart
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the errors of %d files: %w", len(files), context.Cause(ctx))
		}
		select { // nothing new came within the quiet time
		case <-published:
		case <-l.running.Done():
			return nil, errRestart
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the errors of %d files: %w", len(files), context.Cause(ctx))
		}
	}
}

// errors returns the errors of all files that the server has published.
func (l *link) errors() snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := snapshot{}
	for path, p := range l.latest {
		all[path] = p.errors
	}
	return all
}

// pull requests the errors of files.
func (l *link) pull(ctx context.Context, files []File) (snapshot, error) {
	all := snapshot{}
	for _, f := range files {
		var r report
		if err := l.conn.Request("textDocument/diagnostic", documentParams{document{URI: uriOf(f.Path)}}).WaitContext(ctx, &r); err != nil {
			return nil, fmt.Errorf("get the errors of %s: %w", f.Path, err)
		}
		all[f.Path] = errorsOf(f.Path, r.Items)
	}
	return all, nil
}

// newErrors returns the errors in after that before does not contain, those of the
// changed files first. The line of an error is not compared, because a change moves
// the lines below it.
func (l *link) newErrors(files []File, before, after snapshot) []Problem {
	var own, others []Problem
	for _, path := range slices.Sorted(maps.Keys(after)) {
		known := map[string]int{}
		for _, p := range before[path] {
			known[p.Text]++
		}
		for _, p := range after[path] {
			if known[p.Text]--; known[p.Text] >= 0 {
				continue
			}
			if slices.ContainsFunc(files, func(f File) bool { return f.Path == path }) {
				own = append(own, p)
			} else if isBelow(path, l.dir) {
				others = append(others, p)
			}
		}
	}
	return append(own, others...)
}

func isBelow(path, dir string) bool {
	relative, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(relative) && !strings.HasPrefix(relative, "..")
}
