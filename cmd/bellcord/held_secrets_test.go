//go:build unix

package main

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secretEnvironment returns variables with names of secrets, each with a different value.
func secretEnvironment() []string {
	var env []string
	for _, name := range []string{
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY", "PGPASSWORD", "OTEL_EXPORTER_OTLP_HEADERS", "GITHUB_TOKEN",
		"BELLCORD_TOKEN", "BELLCORD_TELEGRAM_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL",
	} {
		value := secretOf(name)
		if name == "BELLCORD_TELEGRAM_TOKEN" {
			value = "1:" + value
		}
		env = append(env, name+"="+value)
	}
	return append(env, "NICKNAME=SECRET-a-provider-in-the-file")
}

func secretOf(name string) string {
	return fmt.Sprintf("SECRET-%x", crc32.ChecksumIEEE([]byte(name)))
}

// writeFile writes a file into the world's directory.
func (w *world) writeFile(name, text string, mode os.FileMode) string {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// dump creates a program that writes its environment to a file and exits.
func (w *world) dump(name string) (command, file string) {
	file = filepath.Join(w.dir, name+".env")
	return w.writeFile(name, "#!/bin/sh\nenv > "+file+"\n", 0o700), file
}

// secretsIn returns the lines of a file that contain secrets.
func secretsIn(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "SECRET") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// Hosted agents and MCP servers are started as real processes and write down their environment. An
// agent with a preset gets the keys that it reads.
func TestHeld_EnvironmentOfHostedAgentsAndMCPServers_ContainsNoSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	custom, customEnv := w.dump("mine")
	claude, claudesEnv := w.dump("claude")
	passed, passedEnv := w.dump("passed")
	server, serversEnv := w.dump("server")
	config := w.writeFile("config.toml", fmt.Sprintf(`
[sandbox]
mode = "off"
[provider.other]
api_key = "SECRET-a-provider-in-the-file"
base_url = "http://127.0.0.1:1"
[agents.mine]
command = [%q]
protocol = "acp"
[agents.claude]
command = [%q]
[agents.passed]
command = [%q]
protocol = "acp"
pass_env = ["GITHUB_TOKEN", "BELLCORD_*"]
[mcp.server]
command = [%q]
pass_env = ["GITHUB_TOKEN"]
`, custom, claude, passed, server), 0o600)
	run := func(args ...string) {
		cmd := w.bellcord(append([]string{"run", "--config", config}, args...)...)
		cmd.Env = append(cmd.Env, secretEnvironment()...)
		if out, err := cmd.CombinedOutput(); err != nil && !strings.Contains(string(out), "failed to start") {
			t.Logf("%v: %v: %s", args, err, out)
		}
	}
	run("--agent", "mine", "hello")
	run("--agent", "claude", "hello")
	run("--agent", "passed", "hello")
	run("--model", "fake/fake", "hello")
	for file, want := range map[string]string{
		customEnv: "", claudesEnv: "ANTHROPIC_API_KEY=" + secretOf("ANTHROPIC_API_KEY"),
		passedEnv: "GITHUB_TOKEN=" + secretOf("GITHUB_TOKEN"), serversEnv: "GITHUB_TOKEN=" + secretOf("GITHUB_TOKEN"),
	} {
		if got := strings.Join(secretsIn(t, file), " "); got != want {
			t.Errorf("%s: %q, want %q", filepath.Base(file), got, want)
		}
	}
}

func TestDoctor_SecretsInEnvironment_AreNamedWithoutValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := w.writeFile("config.toml", "[commands]\npass_env = [\"GITHUB_TOKEN\"]\n", 0o600)
	cmd := w.bellcord("doctor", "--config", config)
	cmd.Env = append(append(cmd.Env, secretEnvironment()...), "ANTHROPIC_BASE_URL="+w.url, "GOOGLE_GEMINI_BASE_URL="+w.url)
	out, _ := cmd.CombinedOutput() // doctor fails here: some checks find problems
	var line string
	for l := range strings.Lines(string(out)) {
		if strings.Contains(l, "withheld from commands") {
			line = l
		}
	}
	if !strings.Contains(line, "OPENAI_API_KEY, ") || !strings.Contains(line, "PGPASSWORD") || strings.Contains(line, "GITHUB_TOKEN") || strings.Contains(string(out), "SECRET-") {
		t.Errorf("%s", out)
	}
}

func TestConfig_PassOfBellcordCredential_IsRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := w.writeFile("config.toml", "[mcp.files]\ncommand = [\"x\"]\npass_env = [\"BELLCORD_STORE\"]\n", 0o600)
	_, errs, code := w.does("run", "--config", config, "hello")
	if code != exitFailed || !strings.Contains(errs, "mcp.files.pass: BELLCORD_STORE is one of Bellcord's own credentials") {
		t.Errorf("%d: %s", code, errs)
	}
}
