package preset

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Offline returns the definition of an agent that uses only a model at
// modelURL, such as http://127.0.0.1:8080, which must not end in /v1 or a
// slash. Settings, sessions and caches are stored under dir, an absolute path,
// and telemetry and updates are off. Offline writes the required settings files
// there. Agents that support it are set to request approval before they run a
// command; pi does not support it.
//
// Side requests that repeat a prompt to the model, such as one for a title, are
// off where that is possible. In claude and codex it is not: they send them to
// a model other than d.Model, so that the caller can distinguish them.
//
// Each agent is configured differently, so Offline supports only the names of
// the presets; the command may differ from the preset's. Of the caller's
// environment, only PATH should be passed to the agent: keys and settings in it
// would take precedence.
func (d Definition) Offline(dir, modelURL string) (Definition, error) {
	recipe, known := recipes[d.Name]
	if !known {
		return Definition{}, fmt.Errorf("running agent %s offline: not supported (supported: %s)", d.Name, strings.Join(slices.Sorted(maps.Keys(recipes)), ", "))
	}
	base, err := url.Parse(modelURL)
	if err != nil || base.Host == "" || strings.HasSuffix(modelURL, "/") || strings.HasSuffix(base.Path, "/v1") {
		return Definition{}, fmt.Errorf("running agent %s offline: %q is not a model server's URL (without /v1 and a slash at the end)", d.Name, modelURL)
	}
	if !filepath.IsAbs(dir) {
		return Definition{}, fmt.Errorf("running agent %s offline: %q is not an absolute path", d.Name, dir)
	}
	d, err = recipe.apply(d, surroundings{dir: dir, model: modelURL, name: recipe.model})
	if err != nil {
		return Definition{}, fmt.Errorf("running agent %s offline: %w", d.Name, err)
	}
	return d, nil
}

// apply returns a copy of d with the recipe applied, and writes its files. The
// caller's command and environment are not changed.
func (r recipe) apply(d Definition, s surroundings) (Definition, error) {
	d.Home = s.path("home")
	d.Model = s.name
	env := maps.Clone(d.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, s.own())
	maps.Copy(env, r.env(s))
	d.Env = env
	if r.arguments != nil {
		d.Command = slices.Concat(d.Command, r.arguments(s))
	}
	var files map[string]string
	if r.files != nil {
		files = r.files(s)
	}
	return d, s.writeFiles(files)
}

// surroundings is everything an offline agent is configured with: a directory,
// and the address and the name of a model.
type surroundings struct {
	dir   string
	model string
	name  string
}

func (s surroundings) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

// own returns the variables that all agents have in common: where their files
// are stored.
func (s surroundings) own() map[string]string {
	return map[string]string{
		"HOME":            s.path("home"),
		"XDG_CONFIG_HOME": s.path("home", ".config"),
		"XDG_DATA_HOME":   s.path("home", ".local", "share"),
		"XDG_STATE_HOME":  s.path("home", ".local", "state"),
		"XDG_CACHE_HOME":  s.path("home", ".cache"),
		"TMPDIR":          s.path("tmp"),
		"NO_COLOR":        "1",
		"DO_NOT_TRACK":    "1",
	}
}

// writeFiles creates the directories, and the files with names relative to dir.
func (s surroundings) writeFiles(files map[string]string) error {
	var failed error
	for _, folder := range []string{"home", "tmp"} {
		failed = errors.Join(failed, os.MkdirAll(s.path(folder), 0o700))
	}
	for name, text := range files {
		path := s.path(filepath.FromSlash(name))
		failed = errors.Join(failed, os.MkdirAll(filepath.Dir(path), 0o700))
		failed = errors.Join(failed, os.WriteFile(path, []byte(text), 0o600))
	}
	return failed
}
