package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
)

// errNoDir means that a directory does not exist or that the caller may not use
// it. Both have the same response.
var errNoDir = errors.New("no such directory, or you may not use it")

// Limits of a listing. A directory with more entries is read in part.
const (
	mostEntries = 20_000 // entries that are read
	mostDirs    = 500    // directories that are returned
)

// directories decides which directories a caller may use.
type directories struct {
	workspaces   string // parent directory of new workspaces
	roots        func(owner string) []string
	machineOwner string
	private      []string
	realRoots    sync.Map // paths without symbolic links of directories of the settings
}

// place returns the working directory of a session: a new one in workspaces, or
// an existing one that the caller may use.
func (d *directories) place(ctx context.Context, id bellcord.SessionID, dir string) (string, error) {
	if dir == "" {
		dir = d.workspace(id)
		return dir, os.MkdirAll(dir, 0o700)
	}
	user := caller(ctx)
	if user.May(bellcord.ScopeAdmin) {
		return filepath.Clean(dir), checkDirs(ctx, []string{dir})
	}
	roots := d.roots(user.Owner)
	if len(roots) == 0 {
		return "", errScope{bellcord.ScopeAdmin}
	}
	found, err := d.within(roots, dir)
	switch {
	case err != nil:
		return "", badInput("dir %q: %v", dir, errNoDir)
	case d.surrounds(found):
		return "", badInput("dir %q: it contains the server's own files; choose a directory in it", dir)
	}
	return found, nil
}

// workspace returns the directory of a session that was created without one.
func (d *directories) workspace(id bellcord.SessionID) string {
	return filepath.Join(d.workspaces, string(id))
}

// isWorkspace reports whether the server created the directory of a session.
func (d *directories) isWorkspace(session bellcord.Session) bool {
	return contains(d.workspaces, session.Dir)
}

// mayUse returns an error if the caller may not work in the directory of a session
// any more: the settings can have changed since the session began. It compares names
// only; a turn does not follow links. A session of this machine's terminals and
// editors may be anywhere. Nobody may work in the workspace of another session.
func (d *directories) mayUse(user auth.Caller, session bellcord.Session) error {
	roots := d.roots(user.Owner)
	if user.May(bellcord.ScopeAdmin) || len(roots) == 0 || session.Owner == d.machineOwner ||
		session.Dir == d.workspace(session.ID) {
		return nil
	}
	isAllowed := func(root string) bool {
		real, err := d.realRoot(root)
		return err == nil && contains(real, session.Dir)
	}
	if !slices.ContainsFunc(roots, isAllowed) || d.surrounds(session.Dir) || d.isPrivate(session.Dir) {
		return errCeiling{fmt.Errorf("the settings do not let you work in %s any more; "+
			"continuing this session requires the scope admin", session.Dir)}
	}
	return nil
}

// realRoot is realDir without I/O for a directory of the settings that was found
// before.
func (d *directories) realRoot(dir string) (string, error) {
	if real, known := d.realRoots.Load(dir); known {
		return real.(string), nil //nolint:forcetypeassert // see Store
	}
	real, err := realDir(dir)
	if err == nil {
		d.realRoots.Store(dir, real)
	}
	return real, err
}

// checkDirs returns an error unless the directories exist and the caller, who
// must be an admin, may name them.
func checkDirs(ctx context.Context, dirs []string) error {
	if len(dirs) > 0 && !caller(ctx).May(bellcord.ScopeAdmin) {
		return errScope{bellcord.ScopeAdmin}
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			return badInput("dir %q: must be an absolute path", dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return badInput("dir %q: no such directory", dir)
		}
	}
	return nil
}

// reachable returns a directory without symbolic links in its path if the
// caller may use it, or errNoDir.
func (d *directories) reachable(ctx context.Context, dir string) (string, error) {
	user := caller(ctx)
	if !user.May(bellcord.ScopeAdmin) {
		return d.within(d.roots(user.Owner), dir)
	}
	if !filepath.IsAbs(dir) {
		return "", errNoDir
	}
	return realDir(dir)
}

// within returns a directory without symbolic links in its path if it is one of
// the roots or inside one, and errNoDir otherwise. A path outside of the roots
// is not looked up, so that the time of the response does not depend on its
// existence. The server's own files are outside of every root.
func (d *directories) within(roots []string, dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", errNoDir
	}
	dir = filepath.Clean(dir)
	for _, root := range roots {
		real, err := realDir(root)
		if err != nil || !contains(root, dir) && !contains(real, dir) {
			continue
		}
		found, err := realDir(dir)
		if err == nil && contains(real, found) && !d.isPrivate(found) {
			return found, nil
		}
	}
	return "", errNoDir
}

// isPrivate reports whether a directory without symbolic links in its path has
// files of the server.
func (d *directories) isPrivate(dir string) bool {
	return slices.ContainsFunc(d.private, func(private string) bool {
		real, err := d.realRoot(private)
		return err == nil && contains(real, dir)
	})
}

// surrounds reports whether a directory without symbolic links in its path contains
// the server's own files.
func (d *directories) surrounds(dir string) bool {
	return slices.ContainsFunc(d.private, func(private string) bool {
		real, err := d.realRoot(private)
		return err == nil && contains(dir, real)
	})
}

// kept returns a directory as sessions have it, if the caller may look it up.
func (d *directories) kept(ctx context.Context, dir string) string {
	if found, err := d.reachable(ctx, dir); err == nil {
		return found
	}
	return dir
}

// realDir returns the path of a directory without symbolic links, or errNoDir.
func realDir(dir string) (string, error) {
	found, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", errNoDir
	}
	if info, err := os.Stat(found); err != nil || !info.IsDir() {
		return "", errNoDir
	}
	return found, nil
}

// contains reports whether dir is root or a path inside it.
func contains(root, dir string) bool {
	rest, err := filepath.Rel(root, dir)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// children returns the directories in a directory that the caller may use,
// sorted by name. Symbolic links to other directories are listed only if the
// caller may use their targets.
func (d *directories) children(ctx context.Context, dir string, hidden bool) (api.Dirs, error) {
	found, err := d.reachable(ctx, dir)
	if err != nil {
		return api.Dirs{}, err
	}
	entries, complete, err := readSome(ctx, found)
	if err != nil {
		return api.Dirs{}, errNoDir
	}
	listed := api.Dirs{Dir: found, Dirs: []api.Dir{}, Truncated: !complete}
	if up := filepath.Dir(found); up != found {
		if _, err := d.reachable(ctx, up); err == nil {
			listed.Parent = up
		}
	}
	for _, entry := range entries {
		if !hidden && strings.HasPrefix(entry.Name(), ".") || !entry.IsDir() && entry.Type()&os.ModeSymlink == 0 {
			continue
		}
		target, err := d.reachable(ctx, filepath.Join(found, entry.Name()))
		if err != nil {
			continue
		}
		if len(listed.Dirs) == mostDirs {
			listed.Truncated = true
			break
		}
		listed.Dirs = append(listed.Dirs, api.Dir{Name: entry.Name(), Dir: target})
	}
	return listed, ctx.Err()
}

// readSome returns the entries of a directory sorted by name, at most
// mostEntries of them, and whether these are all.
func readSome(ctx context.Context, dir string) (entries []os.DirEntry, complete bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }()
	for len(entries) < mostEntries && err == nil && ctx.Err() == nil {
		var some []os.DirEntry
		some, err = f.ReadDir(1000)
		entries = append(entries, some...)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Is(err, io.EOF), nil
}
