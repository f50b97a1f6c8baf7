package preset_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/agent/preset"
)

func TestAll_EveryPreset_IsValidAndFoundByName(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, d := range preset.All() {
		if err := d.Check(); err != nil {
			t.Error(err)
		}
		if found, ok := preset.Named(d.Name); !ok || found.Command[0] != d.Command[0] {
			t.Errorf("%s is not found by its name", d.Name)
		}
		if names[d.Name] {
			t.Errorf("%s is there twice", d.Name)
		}
		names[d.Name] = true
		if d.ShellTool == "" || d.ShellArgs == nil || d.Install == "" {
			t.Errorf("%s: the shell or the installation is missing", d.Name)
		}
	}
	for _, name := range []string{"pi", "claude", "codex", "gemini", "goose", "opencode", "qwen", "kimi"} {
		if !names[name] {
			t.Errorf("there is no preset %s", name)
		}
	}
	if _, ok := preset.Named("nobody"); ok {
		t.Error("there is a preset for nobody")
	}
}

func TestNamed_CallerChangesResult_PresetStaysUnchanged(t *testing.T) {
	t.Parallel()
	first, _ := preset.Named("goose")
	first.Command[0] = "another"
	if second, _ := preset.Named("goose"); second.Command[0] != "goose" {
		t.Errorf("the preset's command is now %q", second.Command)
	}
}

func TestCheck_InvalidField_Fails(t *testing.T) {
	t.Parallel()
	proper := preset.Definition{Name: "mine", Command: []string{"mine", "acp"}, Protocol: preset.ACP, Home: "/home", Env: map[string]string{"A": "b"}}
	if err := proper.Check(); err != nil {
		t.Errorf("a proper definition is refused: %v", err)
	}
	for name, test := range map[string]struct {
		spoil func(*preset.Definition)
		want  string
	}{
		"a name with a blank":                 {func(d *preset.Definition) { d.Name = "my agent" }, "a name has"},
		"no name":                             {func(d *preset.Definition) { d.Name = "" }, "a name has"},
		"no command":                          {func(d *preset.Definition) { d.Command = nil }, "command is missing"},
		"an empty program":                    {func(d *preset.Definition) { d.Command = []string{"", "acp"} }, "command is missing"},
		"a NUL in the command":                {func(d *preset.Definition) { d.Command = []string{"mine", "a\x00b"} }, "NUL"},
		"a protocol nobody speaks":            {func(d *preset.Definition) { d.Protocol = "smtp" }, `protocol is "smtp"`},
		"a home that depends on where one is": {func(d *preset.Definition) { d.Home = "agents" }, "not an absolute path"},
		"a variable with an equals sign":      {func(d *preset.Definition) { d.Env = map[string]string{"A=B": "c"} }, "is not a valid variable"},
		"a NUL in a value":                    {func(d *preset.Definition) { d.Env = map[string]string{"A": "\x00"} }, "is not a valid variable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := proper
			test.spoil(&d)
			if err := d.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Check says %v, should say %q", err, test.want)
			}
		})
	}
}

func TestFind_MissingProgram_ReturnsInstallCommand(t *testing.T) {
	t.Parallel()
	d := preset.Definition{Name: "mine", Command: []string{"no-such-agent-here"}, Install: "npm install mine"}
	_, err := d.Find()
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "npm install mine") {
		t.Errorf("the error is %v", err)
	}
	d.Install = ""
	if _, err := d.Find(); !errors.Is(err, exec.ErrNotFound) || strings.Contains(err.Error(), "install") {
		t.Errorf("the error is %v", err)
	}
	if _, err := (preset.Definition{Name: "mine"}).Find(); err == nil {
		t.Error("an agent without a command was found")
	}
}

func TestFind_CommandWithPath_ReturnsPath(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agent")
	d := preset.Definition{Name: "mine", Command: []string{path}}
	if _, err := d.Find(); err == nil {
		t.Error("it was found before it was there")
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if found, err := d.Find(); err != nil || found != path {
		t.Errorf("found %q, %v", found, err)
	}
}
