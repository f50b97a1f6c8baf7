package setup

import "fmt"

// file returns the text of a configuration with the choice. Commented-out settings
// are examples; docs/config.md has everything.
func (c choice) file() string {
	provider := `# Keys come from the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY.
# Another server that speaks OpenAI's API:
# [provider.mine]
# base_url = "http://127.0.0.1:8080/v1"
`
	if c.server.URL != "" {
		provider = fmt.Sprintf("[provider.%s]\nbase_url = %q\n", c.server.Name, c.server.URL)
	}
	return fmt.Sprintf(`# Bellcord's configuration. Flags win over the environment, the environment over
# this file. All settings: docs/config.md. To check it: bellcord doctor

# The model of new sessions: provider/model. bellcord models lists them.
# Here: %s
model = %q

# Others to choose from in an editor.
# models = ["anthropic/NAME", "openai/NAME"]

# What is allowed without asking: read-only, ask, auto-edit or full.
mode = "ask"

# Another agent does the work, with a stop that holds: see bellcord agents.
# agent = "goose"

%s
# What is never asked, and what never happens. Deny beats allow.
# [permit]
# allow = ["shell(git status)", "shell(go test *)"]
# deny = ["shell(git push *)"]

# What a turn may take.
# [limits]
# deadline = "30m"
# tokens = 200000

# An MCP server: a command, or a url.
# [mcp.files]
# command = ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]
`, c.reason, c.model, provider)
}
