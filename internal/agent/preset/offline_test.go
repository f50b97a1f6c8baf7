package preset_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/agent/preset"
)

const model = "http://127.0.0.1:18931"

func TestOffline_EveryPreset_UsesOnlyItsDirectoryAndOneModel(t *testing.T) {
	t.Parallel()
	for _, online := range preset.All() {
		t.Run(online.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			online.Env = map[string]string{"LANG": "C", "HOME": "/somewhere/else"}
			d, err := online.Offline(dir, model)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Check(); err != nil {
				t.Error(err)
			}
			if !slices.Equal(d.Command[:len(online.Command)], online.Command) || len(online.Env) != 2 {
				t.Errorf("the definition it was made of has changed, or its command: %q", d.Command)
			}
			if d.Model == "" || d.Env["LANG"] != "C" {
				t.Errorf("model %q, LANG %q", d.Model, d.Env["LANG"])
			}
			inside(t, dir, d)
			if !pointsAt(t, dir, d) {
				t.Error("nothing tells the agent where its model is")
			}
		})
	}
}

// inside fails the test if a path of the agent is not under dir.
func inside(t *testing.T, dir string, d preset.Definition) {
	t.Helper()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR"} {
		if !strings.HasPrefix(d.Env[name], dir+string(filepath.Separator)) {
			t.Errorf("%s is %q", name, d.Env[name])
		}
	}
	for _, path := range []string{d.Home, d.Env["HOME"], d.Env["TMPDIR"]} {
		if about, err := os.Stat(path); err != nil || !about.IsDir() {
			t.Errorf("%q is no directory: %v", path, err)
		}
	}
}

// pointsAt reports whether the environment or a file contains the model's
// address. It fails the test if a .json file is not valid JSON.
func pointsAt(t *testing.T, dir string, d preset.Definition) bool {
	t.Helper()
	found := false
	for _, value := range d.Env {
		found = found || strings.HasPrefix(value, model)
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found = found || strings.Contains(string(text), model+"/v1")
		if filepath.Ext(path) == ".json" && !json.Valid(text) {
			t.Errorf("%s is not JSON", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOffline_InvalidArguments_Fails(t *testing.T) {
	t.Parallel()
	goose, _ := preset.Named("goose")
	for name, test := range map[string]struct {
		agent, dir, model, want string
	}{
		"an agent nobody has a recipe for": {"mine", t.TempDir(), model, "not supported (supported: "},
		"an address that ends in /v1":      {"goose", t.TempDir(), model + "/v1", "without /v1"},
		"an address that ends in a slash":  {"goose", t.TempDir(), model + "/", "without /v1"},
		"an address without a host":        {"goose", t.TempDir(), "127.0.0.1", "without /v1"},
		"a directory relative to nothing":  {"goose", "somewhere", model, "not an absolute path"},
		"a directory that is a file":       {"goose", os.Args[0], model, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := goose
			d.Name = test.agent
			if _, err := d.Offline(test.dir, test.model); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Offline says %v, should say %q", err, test.want)
			}
		})
	}
}

func TestShellArgs_CommandWithSpecialCharacters_ReturnsValidJSON(t *testing.T) {
	t.Parallel()
	const command = "printf '%s\\n' \"a]b\" & > x"
	for _, d := range preset.All() {
		var arguments map[string]string
		if err := json.Unmarshal([]byte(d.ShellArgs(command)), &arguments); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
		if arguments["command"] != command && arguments["cmd"] != command {
			t.Errorf("%s: the command came out as %q", d.Name, arguments)
		}
	}
}
