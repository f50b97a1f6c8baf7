package app

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool/mcp"
	"github.com/bellcord/bellcord/proc"
)

// Not parallel: it sets the environment.
func TestEnvironment_OfAgentsAndMCPServers_OmitsTheTelegramToken(t *testing.T) {
	t.Setenv("BELLCORD_TELEGRAM_TOKEN", "1:SECRET")
	t.Setenv("SOMETHING_ELSE", "kept")
	d, err := AgentDefinition(config.Config{Agents: map[string]config.Agent{"x": {Command: []string{"x"}, Protocol: "acp", PassEnv: []string{"*"}}}}, "x")
	if env := AgentEnvironment(d); err != nil || slices.Contains(env, "BELLCORD_TELEGRAM_TOKEN=1:SECRET") || !slices.Contains(env, "SOMETHING_ELSE=kept") {
		t.Errorf("a hosted agent gets %v, %v", env, err)
	}
	keeper, err := proc.Open(t.TempDir(), proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = keeper.Close() }()
	server, err := spawner(&confine.Policy{Keeper: keeper}, &secret.Set{}, "")(mcp.Server{Name: "env", Command: []string{"env"}, Env: []string{"OF_ITS_OWN=given"}})
	if err != nil {
		t.Skip("no env here:", err)
	}
	var env bytes.Buffer
	if _, err := env.ReadFrom(server.Stdout); err != nil {
		t.Error(err)
	}
	server.End()
	if text := env.String(); strings.Contains(text, "SECRET") || !strings.Contains(text, "SOMETHING_ELSE=kept") || !strings.Contains(text, "OF_ITS_OWN=given") {
		t.Errorf("an MCP server gets %s", text)
	}
}

func TestOpenEditor_SandboxIsRequired_TerminalsOfTheEditorAreNotUsed(t *testing.T) {
	t.Parallel()
	for mode, used := range map[string]bool{config.SandboxAuto: true, config.SandboxOff: true, config.SandboxRequire: false} {
		c := config.Defaults()
		c.DataDir, c.Sandbox.Mode = t.TempDir(), mode
		tools := newSessionTools(Config{Settings: c, Logger: slog.New(slog.DiscardHandler)}, &confine.Policy{}, nil)
		tools.open("s", &acp.EditorTools{Reads: true, Terminals: true}, nil)
		of := tools.editorOf("s") // that of hosted agents' terminals, too
		if (of.Run != nil) != used || of.Read == nil {
			t.Errorf("%s: terminals %t, files %t", mode, of.Run != nil, of.Read != nil)
		}
		tools.close()
	}
}
