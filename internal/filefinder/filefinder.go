// Package filefinder finds the files of a project by parts of their paths. It is
// the only package with the matching algorithm of fzf.
package filefinder

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"

	"github.com/bellcord/bellcord/internal/tool/search"
)

const (
	most    = 50_000          // files that are listed
	longest = 3 * time.Second // that the listing of a directory takes
	fresh   = 5 * time.Second // how long a list is used
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
	files, err := walk(ctx, dir)
	if err != nil {
		return nil, err
	}
	f.dir, f.files, f.at = dir, files, time.Now()
	return files, nil
}

// walk returns the files that git does not ignore, in the order of their paths. It
// starts no program: the configuration of a repository can name programs that git
// runs. Without a repository, hidden directories and those of packages are skipped.
func walk(ctx context.Context, dir string) ([]string, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	limited, done := context.WithTimeout(ctx, longest)
	defer done()
	var files []string
	_, tracked := search.Repository(limited, dir)
	w := search.Walk{Visit: func(e search.Entry) error {
		switch {
		case e.IsDir() && !tracked && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
			return fs.SkipDir
		case e.Type()&^fs.ModeSymlink != 0: // a directory, or a file without contents
			return nil
		}
		if files = append(files, filepath.ToSlash(e.Path)); len(files) == most {
			return search.ErrEnough
		}
		return nil
	}}
	err = w.In(limited, root, ".")
	if errors.Is(err, search.ErrEnough) || limited.Err() != nil && ctx.Err() == nil {
		err = nil // the first files of a large tree
	}
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
