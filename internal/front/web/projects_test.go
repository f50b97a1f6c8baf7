package web_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// withRoots returns a stage in which anna may work in a directory with the
// entries shop, site, .git and out, a link to a directory outside. bert may work
// nowhere. The paths contain no symbolic links.
func withRoots(t *testing.T) (s *stage, root, outside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, outside = filepath.Join(base, "anna"), filepath.Join(base, "bert")
	for _, dir := range []string{"anna/shop/cart", "anna/site", "anna/.git", "bert/secret", "anna-too"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"anna/out": outside, "anna/in": filepath.Join(root, "shop"), "anna/up": "..", "linked": root} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s = newStage(t, func(with *setup) {
		with.Roots = func(owner string) []string {
			if owner == "anna" {
				return []string{filepath.Join(base, "linked"), filepath.Join(base, "missing")}
			}
			return nil
		}
		with.Private = []string{filepath.Join(root, "site")}
	})
	return s, root, outside
}

func (s *stage) dirs(user, under string) api.Dirs {
	s.t.Helper()
	var listed api.Dirs
	s.roundTrip(user, "GET", "/v1/dirs?under="+url.QueryEscape(under), nil).is(200).into(&listed)
	return listed
}

func names(dirs []api.Dir) string {
	all := make([]string, len(dirs))
	for i, d := range dirs {
		all[i] = d.Name
	}
	return strings.Join(all, " ")
}

func TestDirs_WithinTheRoots_ListsOnlyDirectoriesThatStayInside(t *testing.T) {
	t.Parallel()
	s, root, _ := withRoots(t)
	if starts := s.dirs("anna", ""); len(starts.Dirs) != 1 || starts.Dirs[0].Dir != root || starts.Dir != "" {
		t.Errorf("anna starts at %+v", starts)
	}
	if got := s.dirs("anna", root); names(got.Dirs) != "in shop" || got.Parent != "" || got.Truncated {
		t.Errorf("anna's root has %+v", got)
	}
	if got := s.dirs("anna", root+"/in"); got.Dir != root+"/shop" || got.Parent != root || names(got.Dirs) != "cart" {
		t.Errorf("the link inside is %+v", got)
	}
	var hidden api.Dirs
	s.roundTrip("anna", "GET", "/v1/dirs?hidden=true&under="+root, nil).is(200).into(&hidden)
	if names(hidden.Dirs) != ".git in shop" {
		t.Errorf("with hidden ones: %s", names(hidden.Dirs))
	}
	if got := s.dirs("admin", root); names(got.Dirs) != "in out shop site up" || got.Parent != filepath.Dir(root) {
		t.Errorf("the admin sees %+v", got)
	}
}

// Directories that the caller may not use and directories that do not exist
// have the same response.
func TestHeld_ForeignDirectories_AreIndistinguishableFromMissingOnes(t *testing.T) {
	t.Parallel()
	s, root, outside := withRoots(t)
	none := root + "/none"
	want := string(s.roundTrip("anna", "GET", "/v1/dirs?under="+none, nil).is(404).body)
	refused := []string{
		outside, outside + "/secret", root + "/out", root + "/out/secret", root + "/up", root + "/up/bert", root + "/../bert", root + "-too",
		filepath.Dir(root), "/", "/etc", root + "/file", root + "/site", "shop", ".", "~", root + "\x00", strings.Repeat("/x", 5000),
	}
	for _, dir := range refused {
		if a := s.roundTrip("anna", "GET", "/v1/dirs?under="+url.QueryEscape(dir), nil); a.status != 404 || string(a.body) != want {
			t.Errorf("listing %.80q: %d %s", dir, a.status, a.body)
		}
		if len(dir) > 1000 {
			continue
		}
		a := s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Dir: dir})
		if a.isA(422, "bad-input"); !strings.Contains(a.problem().Detail, "no such directory, or you may not use it") {
			t.Errorf("a session in %.80q: %s", dir, a.body)
		}
	}
	for _, dir := range []string{root, none, root + "/shop", outside, "/"} {
		if a := s.roundTrip("bert", "GET", "/v1/dirs?under="+url.QueryEscape(dir), nil); a.status != 404 || string(a.body) != want {
			t.Errorf("bert lists %q: %d %s", dir, a.status, a.body)
		}
		s.roundTrip("bert", "POST", "/v1/sessions", api.NewSession{Dir: dir}).isA(403, "scope")
	}
	if starts := s.dirs("bert", ""); len(starts.Dirs) != 0 {
		t.Errorf("bert starts at %+v", starts)
	}
}

func TestCreateSession_InARoot_WorksInTheDirectoryWithoutLinks(t *testing.T) {
	t.Parallel()
	s, root, _ := withRoots(t)
	for _, dir := range []string{root + "/shop", root + "/in", root + "/shop/../shop/cart", filepath.Dir(root) + "/linked/shop"} {
		var made bellcord.Session
		s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Dir: dir}).is(201).into(&made)
		if want, _ := filepath.EvalSymlinks(dir); made.Dir != want {
			t.Errorf("%s: it works in %s", dir, made.Dir)
		}
	}
}

func TestCreateSession_DirectoryAroundTheServersFiles_IsRefused(t *testing.T) {
	t.Parallel()
	s, root, _ := withRoots(t)
	for _, dir := range []string{root, filepath.Dir(root) + "/linked", root + "/in/.."} {
		a := s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Dir: dir})
		if a.isA(422, "bad-input"); !strings.Contains(a.problem().Detail, "contains the server's own files") {
			t.Errorf("%s: %s", dir, a.body)
		}
	}
}

func TestListSessions_OfADirectoryByAnotherName_AreThoseInIt(t *testing.T) {
	t.Parallel()
	s, root, outside := withRoots(t)
	var made bellcord.Session
	s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Dir: root + "/shop"}).is(201).into(&made)
	s.roundTrip("admin", "POST", "/v1/sessions", api.NewSession{Dir: outside}).is(201)
	for dir, want := range map[string]int{root + "/shop": 1, root + "/in": 1, filepath.Dir(root) + "/linked/shop": 1, root + "/out": 0, root + "/none": 0, "%ff": 0} {
		var got api.Sessions
		s.roundTrip("anna", "GET", "/v1/sessions?dir="+url.QueryEscape(dir), nil).is(200).into(&got)
		if len(got.Sessions) != want {
			t.Errorf("%s has %+v", dir, got.Sessions)
		}
	}
}

// The settings can change while a session exists.
func TestPrompt_DirectoryOutsideOfTheRootsNow_RequiresAdmin(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"one/sub", "two"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, machine := range []string{"", "anna"} {
		var isNarrow atomic.Bool
		s := newStage(t, func(with *setup) {
			with.MachineOwner = machine
			with.Roots = func(string) []string {
				if isNarrow.Load() {
					return []string{filepath.Join(base, "two")}
				}
				return []string{filepath.Join(base, "one"), filepath.Join(base, "two")}
			}
		})
		var inOne, inTwo, own bellcord.Session
		s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Dir: base + "/one/sub"}).is(201).into(&inOne)
		s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Dir: base + "/two"}).is(201).into(&inTwo)
		s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{}).is(201).into(&own)
		prompt := func(user string, in bellcord.Session) int {
			return s.roundTrip(user, "POST", "/v1/sessions/"+string(in.ID)+"/turns", api.NewTurn{Text: "hi"}).status
		}
		isNarrow.Store(true)
		want := 403
		if machine == "anna" {
			want = 202
		}
		if got := prompt("anna", inOne); got != want {
			t.Errorf("machine owner %q: a prompt in a directory that was removed from the settings: %d", machine, got)
		}
		for _, in := range []bellcord.Session{inTwo, own} {
			if got := prompt("anna", in); got != 202 {
				t.Errorf("in %s: %d", in.Dir, got)
			}
		}
		if got := prompt("admin", inOne); got != 202 {
			t.Errorf("the admin: %d", got)
		}
		isNarrow.Store(false)
		if got := prompt("anna", inOne); got != 202 {
			t.Errorf("allowed again: %d", got)
		}
	}
}

func TestPrompt_WorkspaceOfAnotherSession_IsRefused(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, func(with *setup) {
		with.data = filepath.Join(base, "data")
		with.Private = []string{with.data}
		with.Roots = func(string) []string { return []string{base} } // also around the server's own files
		if err := os.Mkdir(with.data, 0o700); err != nil {
			t.Fatal(err)
		}
	})
	var other bellcord.Session
	s.roundTrip("bert", "POST", "/v1/sessions", api.NewSession{}).is(201).into(&other)
	in, err := s.hub.NewSession(t.Context(), bellcord.Session{Owner: "anna", Dir: other.Dir, Model: "fake/default", Mode: "ask"})
	if err != nil {
		t.Fatal(err)
	}
	s.roundTrip("anna", "POST", "/v1/sessions/"+string(in.ID)+"/turns", api.NewTurn{Text: "hi"}).is(403)
}

// A command can exchange a directory with a link at any moment.
func TestCreateSession_DirectoryExchangedWithALinkMeanwhile_NeverLeadsOutside(t *testing.T) {
	t.Parallel()
	s, root, outside := withRoots(t)
	dir, link := filepath.Join(root, "swapped"), filepath.Join(root, "link")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(outside, link)); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var spinning sync.WaitGroup
	spinning.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				_ = errors.Join(os.Rename(dir, dir+"-kept"), os.Rename(link, dir))
				_ = errors.Join(os.Rename(dir, link), os.Rename(dir+"-kept", dir))
			}
		}
	})
	created, refused := 0, 0
	for range 300 {
		got := s.roundTrip("anna", "POST", "/v1/sessions", api.NewSession{Dir: dir})
		if got.status != 201 {
			refused++
			continue
		}
		created++
		var in bellcord.Session
		if got.into(&in); in.Dir != dir {
			t.Errorf("a session in %s", in.Dir)
		}
	}
	close(done)
	spinning.Wait()
	if created == 0 || refused == 0 {
		t.Errorf("%d sessions, %d refusals: only one side won", created, refused)
	}
	sessions, err := s.hub.Sessions(t.Context(), store.SessionQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range sessions {
		if in.Dir != dir {
			t.Errorf("a session stays in %s", in.Dir)
		}
	}
}

func TestProjects_RecentDirectories_AreThoseOfTheCallersSessions(t *testing.T) {
	t.Parallel()
	s, root, outside := withRoots(t)
	if err := os.MkdirAll(root+"/own/.git", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root+"/own/.git/HEAD", []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, made := range []struct{ user, dir string }{{"anna", root + "/own"}, {"anna", root + "/shop"}, {"anna", root + "/shop"}, {"anna", ""}, {"admin", outside}} {
		s.roundTrip(made.user, "POST", "/v1/sessions", api.NewSession{Dir: made.dir}).is(201)
	}
	var got api.Projects
	s.roundTrip("anna", "GET", "/v1/projects", nil).is(200).into(&got)
	if len(got.Projects) != 2 || got.Projects[0].Dir != root+"/shop" || got.Projects[0].Sessions != 2 || got.Projects[1].Dir != root+"/own" || got.Projects[1].Branch != "main" {
		t.Errorf("anna's projects: %+v", got.Projects)
	}
	if len(got.Roots) != 1 || got.Roots[0].Dir != root || !got.Browse || got.Home != "" {
		t.Errorf("anna's roots: %+v", got)
	}
	s.roundTrip("bert", "GET", "/v1/projects", nil).is(200).into(&got)
	if len(got.Projects) != 0 || len(got.Roots) != 0 || got.Browse {
		t.Errorf("bert's projects: %+v", got)
	}
	s.roundTrip("admin", "GET", "/v1/projects", nil).is(200).into(&got)
	if len(got.Projects) != 3 || got.Projects[0].Dir != outside || !got.Browse || got.Home == "" {
		t.Errorf("the admin's projects: %+v", got)
	}
	if err := os.RemoveAll(root + "/shop"); err != nil {
		t.Fatal(err)
	}
	s.roundTrip("anna", "GET", "/v1/projects", nil).is(200).into(&got)
	if len(got.Projects) != 1 {
		t.Errorf("a removed directory is listed: %+v", got.Projects)
	}
}

func TestDirs_HugeDirectory_IsListedInPart(t *testing.T) {
	t.Parallel()
	s, root, _ := withRoots(t)
	for i := range 700 {
		if err := os.Mkdir(fmt.Sprintf("%s/shop/d%04d", root, i), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.dirs("anna", root+"/shop"); len(got.Dirs) != 500 || !got.Truncated || got.Dirs[1].Name != "d0000" {
		t.Errorf("%d directories, truncated %v", len(got.Dirs), got.Truncated)
	}
}
