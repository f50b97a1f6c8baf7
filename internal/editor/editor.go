// Package editor supports the editors that implement the Agent Client
// Protocol: which are installed, the settings that each needs for an agent,
// and where these settings belong.
package editor

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Editor is an editor that can be configured for an agent.
type Editor struct {
	Name     string   // as a user types it
	Title    string   // the displayed name
	Programs []string // programs on PATH that show that it is installed
	Apps     []string // the same in the Applications folder of macOS

	// settings returns the path of a JSON file with agent_servers. It is nil
	// if the editor is configured in a programming language.
	settings func(home Home) string
	entry    func(command []string) any
	// instructions returns the text for an editor without such a file, and at is the
	// place where the text belongs.
	instructions func(command []string) string
	at           string
}

// Home contains the directories of a user's settings.
type Home struct {
	Dir     string // the user's home directory
	Config  string // XDG_CONFIG_HOME
	Roaming string // APPDATA, on Windows
}

// All returns all supported editors.
func All() []Editor {
	return []Editor{
		{
			Name: "zed", Title: "Zed", Programs: []string{"zed", "zeditor"}, Apps: []string{"Zed.app"},
			settings: zedSettings,
			entry: func(command []string) any {
				return map[string]any{"type": "custom", "command": command[0], "args": command[1:]}
			},
		},
		{
			Name: "jetbrains", Title: "JetBrains IDEs",
			Programs: []string{"idea", "goland", "pycharm", "webstorm", "rubymine", "clion", "phpstorm", "rider", "rustrover"},
			Apps:     []string{"IntelliJ IDEA.app", "GoLand.app", "PyCharm.app", "WebStorm.app"},
			settings: func(home Home) string { return filepath.Join(home.Dir, ".jetbrains", "acp.json") },
			entry: func(command []string) any {
				return map[string]any{"command": command[0], "args": command[1:]}
			},
		},
		{
			Name: "emacs", Title: "Emacs", Programs: []string{"emacs"}, Apps: []string{"Emacs.app"},
			instructions: emacsText, at: "your init file (needs the package agent-shell)",
		},
		{
			Name: "neovim", Title: "Neovim", Programs: []string{"nvim"},
			instructions: neovimText, at: "your init.lua (needs the plugin CodeCompanion)",
		},
		{
			Name: "avante", Title: "Neovim with avante", // not listed as installed: neovim is
			instructions: avanteText, at: "your init.lua (needs the plugin avante)",
		},
		{
			Name: "obsidian", Title: "Obsidian", Programs: []string{"obsidian"}, Apps: []string{"Obsidian.app"},
			instructions: obsidianText, at: "Settings, Agent Client, Add custom agent (needs the plugin Agent Client)",
		},
	}
}

func zedSettings(home Home) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(home.Roaming, "Zed", "settings.json")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home.Dir, ".config", "zed", "settings.json")
	}
	return filepath.Join(home.Config, "zed", "settings.json")
}

// Named returns the editor with this name.
func Named(name string) (Editor, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Editor{}, fmt.Errorf("unknown editor %q: use one of %s", name, strings.Join(names, ", "))
}

// Installed reports whether the editor was found on this machine.
func (e Editor) Installed() bool {
	for _, program := range e.Programs {
		if _, err := exec.LookPath(program); err == nil {
			return true
		}
	}
	for _, app := range e.Apps {
		if runtime.GOOS != "darwin" {
			break
		}
		if _, err := os.Stat(filepath.Join("/Applications", app)); err == nil {
			return true
		}
	}
	return false
}

// ByHand reports whether the user must add the settings: the editor is configured
// in a programming language.
func (e Editor) ByHand() bool { return e.settings == nil }

// Snippet returns the settings that the editor needs for an agent that command
// starts. Place returns where they belong.
func (e Editor) Snippet(command []string) string {
	if e.settings == nil {
		return e.instructions(command)
	}
	return inJSON(map[string]any{servers: map[string]any{agentName: e.entry(command)}}) + "\n"
}

// Place returns the path of the settings file, or a description of the place
// for editors without one.
func (e Editor) Place(home Home) string {
	if e.settings == nil {
		return e.at
	}
	return e.settings(home)
}

// The keys of an agent in a settings file.
const (
	servers   = "agent_servers"
	agentName = "Bellcord"
)

func inJSON(v any) string {
	text, _ := json.MarshalIndent(v, "", "  ") // cannot fail for maps of strings
	return string(text)
}

// quoted returns a string literal that is valid in Lua, Emacs Lisp and JSON.
func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func quotedAll(words []string, between string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = quoted(w)
	}
	return strings.Join(all, between)
}

func emacsText(command []string) string {
	return fmt.Sprintf(`(with-eval-after-load 'agent-shell
  (add-to-list 'agent-shell-agent-configs
               (agent-shell-make-agent-config
                :identifier 'bellcord
                :mode-line-name "Bellcord" :buffer-name "Bellcord"
                :shell-prompt "Bellcord> " :shell-prompt-regexp "Bellcord> "
                :client-maker (lambda (buffer)
                                (acp-make-client :command %s
                                                 :command-params '(%s)
                                                 :context-buffer buffer)))))
`, quoted(command[0]), quotedAll(command[1:], " "))
}

func neovimText(command []string) string {
	return fmt.Sprintf(`require("codecompanion").setup({
  adapters = {
    acp = {
      bellcord = function()
        return require("codecompanion.adapters").extend("opencode", {
          name = "bellcord",
          formatted_name = "Bellcord",
          commands = { default = { %s } },
        })
      end,
    },
  },
  interactions = { chat = { adapter = "bellcord" } },
})
`, quotedAll(command, ", "))
}

func avanteText(command []string) string {
	return fmt.Sprintf(`require("avante").setup({
  provider = "bellcord",
  acp_providers = {
    bellcord = { command = %s, args = { %s } },
  },
})
`, quoted(command[0]), quotedAll(command[1:], ", "))
}

// obsidianText returns the values of the form in the settings of the plugin.
func obsidianText(command []string) string {
	return fmt.Sprintf(`Agent ID: bellcord
Display name: Bellcord
Path: %s
Arguments, one per line:
%s
`, command[0], strings.Join(command[1:], "\n"))
}
