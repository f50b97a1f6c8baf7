package config_test

import (
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

// Not parallel: it sets the environment.
func TestSecrets_FullConfiguration_ReturnsExactlyTheSecrets(t *testing.T) {
	t.Setenv("PGPASSWORD", "pg-password")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20otel-token,x-team=otel-team")
	t.Setenv("NPM_TOKEN", "npm-token")
	t.Setenv("GITHUB_TOKEN", "not-passed")
	t.Setenv("NPM_KEY_FILE", "/etc/npm/key")
	c := config.Config{
		StoreURL: "postgres://me:store-password@host/db?sslpassword=query-password&sslmode=require",
		Provider: map[string]config.Provider{"a": {APIKey: "provider-key", BaseURL: "https://me:url-password@host/v1"}, "b": {}},
		Cluster:  config.Cluster{NATSURL: "nats://me:nats-password@one:4222, nats://nats-token@two:4222,tls://three:4222"},
		Telegram: config.Telegram{Token: "1:telegram", WebhookSecret: "webhook-secret"},
		Commands: config.Commands{PassEnv: []string{"NPM_*"}},
		MCP: map[string]config.Server{"m": {
			URL: "https://host/?api_key=mcp-query", Headers: map[string]string{"Authorization": "Bearer mcp-header", "X-Team": "mcp-team"},
			Env: map[string]string{"MCP_TOKEN": "mcp-env", "MCP_LEVEL": "debug", "MCP_KEY_FILE": "/run/key"},
		}},
		Agents: map[string]config.Agent{"g": {Env: map[string]string{"G_SECRET": "agent-env"}}},
	}
	want := []string{
		"1:telegram", "agent-env", "mcp-env", "mcp-header", "mcp-query", "nats-password", "nats-token", "npm-token", "otel-team", "otel-token", "pg-password",
		"provider-key", "query-password", "store-password", "url-password", "webhook-secret",
	}
	if got := c.Secrets(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestSecrets_InvalidURL_StillReturnsItsPassword(t *testing.T) {
	t.Parallel()
	for address, secret := range map[string]string{
		"postgres://me:pass word@host/db": "pass word", "nats://me:half%zz@host": "half%zz", "nats://token@host:notaport": "token",
	} {
		if got := (config.Config{StoreURL: address}).Secrets(); !slices.Contains(got, secret) {
			t.Errorf("%s: %q", address, got)
		}
	}
}
