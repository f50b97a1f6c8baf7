package preset

// All returns the presets, with commands that are resolved on PATH. Each call
// returns new values, which the caller may change.
func All() []Definition {
	return []Definition{
		{
			Name: "pi", Command: []string{"pi", "--mode", "rpc"}, Protocol: Pi,
			Pass:      []string{"PI_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*"},
			Install:   "npm install --global @earendil-works/pi-coding-agent",
			ShellTool: "bash", ShellArgs: onlyCommand,
		},
		{
			Name: "claude", Command: []string{"claude-agent-acp"}, Protocol: ACP,
			Pass:      []string{"ANTHROPIC_*", "CLAUDE_*"},
			Install:   "npm install --global @agentclientprotocol/claude-agent-acp",
			ShellTool: "Bash", ShellArgs: onlyCommand,
		},
		{
			Name: "codex", Command: []string{"codex-acp"}, Protocol: ACP,
			Pass:          []string{"OPENAI_*", "CODEX_*"},
			InSandbox:     map[string]string{"INITIAL_AGENT_MODE": "agent-full-access"},
			SandboxedMode: "agent-full-access", // every other mode starts bubblewrap
			Install:       "npm install --global @agentclientprotocol/codex-acp",
			ShellTool:     "exec_command", ShellArgs: outsideSandbox,
		},
		{
			Name: "gemini", Command: []string{"gemini", "--acp"}, Protocol: ACP,
			Pass:      []string{"GEMINI_*", "GOOGLE_*"},
			Renew:     true, // after a stop its history contains a call without a result
			Install:   "npm install --global @google/gemini-cli",
			ShellTool: "run_shell_command", ShellArgs: onlyCommand,
		},
		{
			Name: "goose", Command: []string{"goose", "acp"}, Protocol: ACP,
			Pass:      []string{"GOOSE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OLLAMA_*"},
			Install:   "see the goose project's instructions",
			ShellTool: "shell", ShellArgs: onlyCommand,
		},
		{
			Name: "opencode", Command: []string{"opencode", "acp"}, Protocol: ACP,
			Pass:      []string{"OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"},
			Install:   "npm install --global opencode-ai",
			ShellTool: "bash", ShellArgs: onlyCommand,
		},
		{
			Name: "qwen", Command: []string{"qwen", "--acp"}, Protocol: ACP,
			Pass:      []string{"QWEN_*", "OPENAI_*", "DASHSCOPE_*"},
			Install:   "npm install --global @qwen-code/qwen-code",
			ShellTool: "run_shell_command", ShellArgs: onlyCommand,
		},
		{
			Name: "kimi", Command: []string{"kimi", "acp"}, Protocol: ACP,
			Pass:      []string{"KIMI_*", "MOONSHOT_*"},
			Install:   "npm install --global @moonshot-ai/kimi-code",
			ShellTool: "Bash", ShellArgs: onlyCommand,
		},
	}
}

// onlyCommand returns the arguments of shell tools that need only a command.
func onlyCommand(command string) string { return inJSON(object{"command": command}) }

// outsideSandbox returns arguments that make codex request a person's approval:
// inside its sandbox it runs commands without approval.
func outsideSandbox(command string) string {
	return inJSON(object{"cmd": command, "sandbox_permissions": "require_escalated", "justification": "Run this command?"})
}
