package setup

import "fmt"

// file returns the text of a configuration file with the choice. Commented-out
// settings are examples; docs/config.md describes all settings.
func (c Choice) file() string {
	provider := `# Keys come from the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY.
# Another server with an OpenAI-compatible API:
# [provider.mine]
# base_url = "http://127.0.0.1:8080/v1"
`
	if c.server.URL != "" {
		provider = fmt.Sprintf("[provider.%s]\nbase_url = %q\n", c.server.Name, c.server.URL)
	}
	if c.key.Key != "" {
		provider = fmt.Sprintf("[provider.%s]\napi_key = %q\n", c.key.Provider, c.key.Key)
	}
	agent := `# agent = "goose"`
	if c.Agent != "" {
		agent = fmt.Sprintf("agent = %q", c.Agent)
	}
	return fmt.Sprintf(`# Bellcord's configuration. Flags and environment variables override this file.
# All settings: docs/config.md. To check this file: bellcord doctor

# The model for new sessions, as provider/model. To list models: bellcord models
# Why this one: %s
model = %q

# More models to choose from in an editor.
# models = ["anthropic/NAME", "openai/NAME"]

# The permission mode for new sessions: read-only, ask, auto-edit or full.
mode = "ask"

# Host another agent instead of Bellcord's own. To list them: bellcord agents
%s

%s
# Tool calls that run without a question, and tool calls that are always refused.
# Deny rules take precedence.
# [permissions]
# allow = ["shell(git status)", "shell(go test *)"]
# deny = ["shell(git push *)"]

# Limits of a turn.
# [limits]
# deadline = "30m"
# max_tokens = 200000

# An MCP server: a command, or a url.
# [mcp.files]
# command = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]
`, c.Reason, c.Model, agent, provider)
}
