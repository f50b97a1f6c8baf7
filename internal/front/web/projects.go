package web

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// Limits of the list of projects.
const (
	mostProjects   = 30  // directories that are returned
	recentSessions = 500 // sessions whose directories are considered
)

// projects has the operations for directories.
type projects struct {
	hub  reader
	dirs *directories
}

func (p *projects) register(o *operations) {
	add(o, route("GET /v1/projects", "list-projects", bellcord.ScopeRead,
		"List the directories of your recent sessions, and those that you may work in"), p.list)
	add(o, route("GET /v1/dirs", "list-dirs", bellcord.ScopePrompt,
		"List the directories in a directory that you may work in"), p.listDirs)
}

func (p *projects) list(ctx context.Context, _ *struct{}) (api.Projects, error) {
	sessions, err := p.hub.Sessions(ctx, store.SessionQuery{Owner: caller(ctx).Reach(), Limit: recentSessions})
	if err != nil {
		return api.Projects{}, err
	}
	all := api.Projects{Projects: p.recent(ctx, sessions), Roots: []api.Project{}}
	for _, root := range p.dirs.roots(caller(ctx).Owner) {
		if found, err := p.dirs.reachable(ctx, root); err == nil {
			all.Roots = append(all.Roots, api.Project{Dir: found, Branch: branch(found)})
		}
	}
	isAdmin := caller(ctx).May(bellcord.ScopeAdmin)
	all.Browse = isAdmin || len(all.Roots) > 0
	if isAdmin {
		all.Home, _ = os.UserHomeDir() // empty if it is unknown
	}
	return all, nil
}

// recent returns the directories of sessions, the most recent first. It omits
// those that the server created for one session, and those that the caller may
// not use.
func (p *projects) recent(ctx context.Context, sessions []bellcord.Session) []api.Project {
	all := []api.Project{}
	at := map[string]int{}
	for _, session := range sessions {
		if p.dirs.isWorkspace(session) {
			continue
		}
		i, listed := at[session.Dir]
		if !listed {
			if _, err := p.dirs.reachable(ctx, session.Dir); err != nil || len(all) == mostProjects {
				at[session.Dir] = -1
				continue
			}
			i = len(all)
			at[session.Dir] = i
			all = append(all, api.Project{Dir: session.Dir, Branch: branch(session.Dir), Updated: session.Updated})
		}
		if i >= 0 {
			all[i].Sessions++
		}
	}
	return all
}

// branch returns the branch that is checked out in a directory, or "".
func branch(dir string) string {
	head, err := os.ReadFile(filepath.Join(dir, ".git", "HEAD"))
	if err != nil || len(head) > 300 {
		return ""
	}
	name, isBranch := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	if !isBranch {
		return ""
	}
	return name
}

func (p *projects) listDirs(ctx context.Context, in *struct {
	Under  string `query:"under" doc:"absolute path of a directory; empty for the directories that you may start from"`
	Hidden bool   `query:"hidden" doc:"also list directories whose names start with a dot"`
},
) (api.Dirs, error) {
	if in.Under != "" {
		return p.dirs.children(ctx, in.Under, in.Hidden)
	}
	starts := p.dirs.roots(caller(ctx).Owner)
	if home, err := os.UserHomeDir(); err == nil && len(starts) == 0 && caller(ctx).May(bellcord.ScopeAdmin) {
		starts = []string{home}
	}
	listed := api.Dirs{Dirs: []api.Dir{}}
	for _, start := range starts {
		if found, err := p.dirs.reachable(ctx, start); err == nil {
			listed.Dirs = append(listed.Dirs, api.Dir{Name: start, Dir: found})
		}
	}
	return listed, nil
}
