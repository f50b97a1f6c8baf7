package drive

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/bellcord/bellcord/internal/agent/preset"
)

// The presets configure an agent as it must be for tests of stops: one model, text only. These
// functions add what the features need: a second model, images, edits that need approval, and a
// command.

// editJSON changes a settings file that the preset wrote.
func editJSON(path string, change func(object)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var settings object
	if err := json.Unmarshal(text, &settings); err != nil {
		return err
	}
	change(settings)
	return os.WriteFile(path, encode(settings), 0o600)
}

func adjustOpencode(d *preset.Definition) error {
	return editJSON(filepath.Join(d.Home, ".config", "opencode", "opencode.json"), func(s object) {
		s["permission"] = object{"bash": "ask", "edit": "ask"}
		s["command"] = object{"hello": object{"template": template, "description": "custom command"}}
		models := object{}
		for _, name := range []string{"fake", "fake2"} {
			models[name] = object{
				"name": name, "tool_call": true, "attachment": true, "reasoning": true, "cost": object{"input": 1, "output": 2},
				"modalities": object{"input": []string{"text", "image"}, "output": []string{"text"}}, "limit": object{"context": 100000, "output": 4096},
			}
		}
		s["provider"].(object)["fake"].(object)["models"] = models
	})
}

func adjustPi(d *preset.Definition) error {
	d.Command = slices.DeleteFunc(d.Command, func(arg string) bool { return arg == "--no-prompt-templates" })
	// To resize images, the bundle of 1.5.0 would need a package that is not in it.
	if err := writeFile(filepath.Join(d.Home, ".pi", "settings.json"), `{"images":{"autoResize":false}}`); err != nil {
		return err
	}
	return editJSON(filepath.Join(d.Home, ".pi", "models.json"), func(s object) {
		fake := s["providers"].(object)["fake"].(object)
		var models []object
		for _, name := range []string{"fake", "fake2"} {
			models = append(models, object{
				"id": name, "name": name, "reasoning": true, "input": []string{"text", "image"}, "contextWindow": 100000, "maxTokens": 4096,
				"cost": object{"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0},
			})
		}
		fake["models"] = models
	})
}

// adjustGoose makes a recipe a command.
func adjustGoose(d *preset.Definition) error {
	recipe := filepath.Join(d.Home, "hello.yaml")
	text := "version: \"1.0.0\"\ntitle: hello\ndescription: custom command\nprompt: \"" + template + "\"\n"
	if err := writeFile(recipe, text); err != nil {
		return err
	}
	return writeFile(filepath.Join(d.Home, ".config", "goose", "config.yaml"), "slash_commands:\n  - command: hello\n    recipe_path: "+recipe+"\n")
}

func adjustKimi(d *preset.Definition) error {
	path := filepath.Join(d.Home, ".kimi-code", "config.toml")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	more := "\n[models.fake2]\nprovider = \"fake\"\nmodel = \"fake2\"\nmax_context_size = 100000\ncapabilities = [\"image_in\", \"thinking\"]\n"
	return os.WriteFile(path, append(text, more...), 0o600)
}

// adjustClaude offers all tools to the model. Otherwise it must search for some of them first.
func adjustClaude(d *preset.Definition) error {
	d.Env["ENABLE_TOOL_SEARCH"] = "false"
	return nil
}

// adjustCodex offers all tools to the model, and lets it ask questions in every mode.
func adjustCodex(d *preset.Definition) error {
	path := filepath.Join(d.Home, ".codex", "config.toml")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	more := "\n[features]\ntool_search = false\ntool_search_always_defer_mcp_tools = false\ndefault_mode_request_user_input = true\n"
	return os.WriteFile(path, append(text, more...), 0o600)
}

// adjustGemini trusts the working directory. Otherwise MCP servers, commands and most modes are off.
func adjustGemini(d *preset.Definition) error {
	d.Env["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
	return nil
}

func adjustQwen(d *preset.Definition) error {
	return editJSON(filepath.Join(d.Home, ".qwen", "settings.json"), func(s object) {
		tools := s["tools"].(object)
		tools["toolSearch"] = object{"enabled": false}
		s["ui"] = object{"enableFollowupSuggestions": false}
		s["security"].(object)["folderTrust"] = object{"enabled": false}
	})
}
