package web

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// Limits of the list of projects.
const (
	mostProjects   = 30  // directories that are returned
	recentSessions = 500 // sessions whose directories are considered
)

func (s *Server) projectRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/projects", "list-projects", "List the directories of your recent sessions, and those that you may work in", bellcord.ScopeRead), s.projects)
	huma.Register(s.api, route(http.MethodGet, "/v1/dirs", "list-dirs", "List the directories in a directory that you may work in", bellcord.ScopePrompt), s.dirs)
}

func (s *Server) projects(ctx context.Context, _ *struct{}) (*struct{ Body api.Projects }, error) {
	sessions, err := s.Hub.Sessions(ctx, store.SessionQuery{Owner: caller(ctx).Reach(), Limit: recentSessions})
	if err != nil {
		return nil, s.fail(err)
	}
	all := api.Projects{Projects: s.recent(ctx, sessions), Roots: []api.Project{}}
	for _, root := range s.Roots(caller(ctx).Owner) {
		if found, err := s.reachable(ctx, root); err == nil {
			all.Roots = append(all.Roots, api.Project{Dir: found, Branch: branch(found)})
		}
	}
	isAdmin := caller(ctx).May(bellcord.ScopeAdmin)
	all.Browse = isAdmin || len(all.Roots) > 0
	if isAdmin {
		all.Home, _ = os.UserHomeDir() // empty if it is unknown
	}
	return &struct{ Body api.Projects }{all}, nil
}

// recent returns the directories of sessions, the most recent first. It omits
// those that the server created for one session, and those that the caller may
// not use.
func (s *Server) recent(ctx context.Context, sessions []bellcord.Session) []api.Project {
	all := []api.Project{}
	at := map[string]int{}
	for _, session := range sessions {
		if contains(s.Workspaces, session.Dir) {
			continue
		}
		i, listed := at[session.Dir]
		if !listed {
			if _, err := s.reachable(ctx, session.Dir); err != nil || len(all) == mostProjects {
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

func (s *Server) dirs(ctx context.Context, in *struct {
	Under  string `query:"under" doc:"absolute path of a directory; empty for the directories that you may start from"`
	Hidden bool   `query:"hidden" doc:"also list directories whose names start with a dot"`
},
) (*struct{ Body api.Dirs }, error) {
	if in.Under != "" {
		listed, err := s.listDir(ctx, in.Under, in.Hidden)
		return &struct{ Body api.Dirs }{listed}, s.fail(err)
	}
	starts := s.Roots(caller(ctx).Owner)
	if home, err := os.UserHomeDir(); err == nil && len(starts) == 0 && caller(ctx).May(bellcord.ScopeAdmin) {
		starts = []string{home}
	}
	listed := api.Dirs{Dirs: []api.Dir{}}
	for _, start := range starts {
		if found, err := s.reachable(ctx, start); err == nil {
			listed.Dirs = append(listed.Dirs, api.Dir{Name: start, Dir: found})
		}
	}
	return &struct{ Body api.Dirs }{listed}, nil
}
