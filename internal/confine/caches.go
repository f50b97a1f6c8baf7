package confine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// cacheVariables are the variables that name a cache, with the directory in it that
// tools write.
var cacheVariables = []struct{ name, below string }{
	{"GOCACHE", ""},
	{"GOMODCACHE", ""},
	{"XDG_CACHE_HOME", ""},
	{"npm_config_cache", ""},
	{"NPM_CONFIG_CACHE", ""},
	{"PIP_CACHE_DIR", ""},
	{"CARGO_TARGET_DIR", ""},
	{"CARGO_HOME", "registry"},
	{"CARGO_HOME", "git"},
}

// Caches returns the directories that package managers and compilers write, so
// that builds work in the sandbox.
func Caches(home string) []string {
	all := below(home,
		".cache", "go/pkg", ".npm", ".cargo/registry", ".cargo/git", ".gradle/caches", ".m2/repository", ".local/share/pnpm", ".yarn/berry", ".bun/install/cache", ".nuget/packages", "Library/Caches",
	)
	return append(all, namedCaches(home)...)
}

// namedCaches returns the caches that the environment of this process names. A
// directory that contains the home directory is ignored.
func namedCaches(home string) []string {
	var all []string
	add := func(dir, below string) {
		if filepath.IsAbs(dir) && !contains(dir, home) {
			all = append(all, filepath.Join(dir, below))
		}
	}
	for _, v := range cacheVariables {
		add(os.Getenv(v.name), v.below)
	}
	for _, dir := range filepath.SplitList(os.Getenv("GOPATH")) {
		if filepath.IsAbs(dir) {
			add(filepath.Join(dir, "pkg"), "")
		}
	}
	return all
}

// MissingCaches returns the caches in the home directory that Bellcord creates if
// they are missing: a sandbox cannot make a directory writable that does not exist,
// and a tool in the sandbox cannot create it. These are ~/.cache, the directories of
// go, npm and cargo if they are installed, and those that the environment names.
func MissingCaches(home string) []string {
	all := below(home, ".cache")
	for _, tool := range []struct {
		name string
		dirs []string
	}{
		{"go", []string{"go/pkg"}}, {"npm", []string{".npm"}}, {"cargo", []string{".cargo/registry", ".cargo/git"}},
	} {
		if _, err := exec.LookPath(tool.name); err == nil {
			all = append(all, below(home, tool.dirs...)...)
		}
	}
	return append(all, namedCaches(home)...)
}

// createCaches creates the missing caches. Without a home directory, the caches are
// relative to the working directory, where they do not belong.
func (p *Policy) createCaches() {
	if p.Home == "" {
		return
	}
	for _, dir := range p.Caches {
		if rel, err := filepath.Rel(p.Home, dir); err == nil && filepath.IsLocal(rel) && rel != "." {
			createBelow(p.Home, strings.Split(rel, string(filepath.Separator)))
		}
	}
}

// contains reports whether a directory is path, or contains it.
func contains(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
