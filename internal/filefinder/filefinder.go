// Package filefinder finds the files of a project by parts of their paths. It is
// the only package with the matching algorithm of fzf.
package filefinder

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"
)

const (
	most  = 50_000          // files that are listed
	fresh = 5 * time.Second // how long a list is used
)

// Finder finds files in one directory at a time. Its methods may be called
// concurrently.
type Finder struct {
	mu    sync.Mutex
	dir   string
	files []string
	at    time.Time // when the directory was listed
}

// setUp selects the scores for paths, which count for the whole process.
var setUp = sync.OnceFunc(func() { algo.Init("path") })

// Find returns up to limit files of a directory that match the query, the best
// first, and the number of all its files. Paths are relative, with slashes.
func (f *Finder) Find(ctx context.Context, dir, query string, limit int) (found []string, all int, err error) {
	files, err := f.list(ctx, dir)
	if err != nil {
		return nil, 0, err
	}
	return rank(files, query, limit), len(files), nil
}

func (f *Finder) list(ctx context.Context, dir string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == dir && time.Since(f.at) < fresh {
		return f.files, nil
	}
	files, err := tracked(ctx, dir)
	if err != nil {
		files, err = walked(ctx, dir)
	}
	if err != nil {
		return nil, err
	}
	f.dir, f.files, f.at = dir, files, time.Now()
	return files, nil
}

// tracked returns the files that git tracks or does not ignore. The project's
// configuration must not start a program, so its file system monitor is off.
func tracked(ctx context.Context, dir string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var files []string
	for name := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(name) > 0 && len(files) < most {
			files = append(files, string(name))
		}
	}
	return files, nil
}

// walked returns the files of a directory without a repository. Hidden
// directories and those of packages are skipped.
func walked(ctx context.Context, dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil //nolint:nilerr // a directory that cannot be read is left out
		case entry.IsDir() && path != dir && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		case len(files) == most:
			return filepath.SkipAll
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			files = append(files, filepath.ToSlash(name))
		}
		return err
	})
	return files, err
}

// match is a file with the quality of its match.
type match struct {
	path  string
	score int
}

// rank returns the best matches. The query matches lower case letters in both
// cases.
func rank(files []string, query string, limit int) []string {
	setUp()
	pattern := []rune(strings.ToLower(query))
	sensitive := strings.ToLower(query) != query
	if sensitive {
		pattern = []rune(query)
	}
	slab := util.MakeSlab(100*1024, 2048)
	var matches []match
	for _, path := range files {
		text := util.ToChars([]byte(path))
		result, _ := algo.FuzzyMatchV2(sensitive, true, true, &text, pattern, false, slab)
		if result.Start >= 0 {
			matches = append(matches, match{path, result.Score})
		}
	}
	slices.SortFunc(matches, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path))
	})
	found := make([]string, 0, min(limit, len(matches)))
	for _, m := range matches[:min(limit, len(matches))] {
		found = append(found, m.path)
	}
	return found
}
