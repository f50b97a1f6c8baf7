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

// Offline returns the definition of an agent that has nothing but a model at
// modelURL, such as http://127.0.0.1:8080, which must not end in /v1: settings,
// sessions and caches are under dir, an absolute path, and telemetry and updates
// are off. What its settings need is written there. An agent that can ask before
// it runs a command does so; pi cannot.
//
// Errands that repeat a prompt to the model, such as finding a title, are off
// where they can be. Where they cannot, in claude and codex, they go to another
// model than d.Model, so that they can be told apart.
//
// Only the presets' names are known here, because each agent is told in its own
// way; the command may be another one than the preset's. Nothing else of the
// caller's environment should reach the agent but PATH: keys and settings in it
// would win.
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

// apply leaves the caller's command and environment as they are.
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

// surroundings is all an agent that is offline may know: a directory, and the
// address and the name of a model.
type surroundings struct {
	dir   string
	model string
	name  string
}

func (s surroundings) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

// own is what the agents have in common: where a program's files belong.
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

// writeFiles makes the directories and the files, whose names are relative to dir.
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
