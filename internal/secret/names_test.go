package secret_test

import (
	"errors"
	"testing"

	"github.com/bellcord/bellcord/internal/secret"
)

func TestNamed_SecretsAndOrdinaryVariables_AreDistinguished(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"OPENAI_API_KEY", "MISTRAL_API_KEY", "GITHUB_TOKEN", "GH_TOKEN", "npm_config__authToken", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
		"AWS_SESSION_TOKEN", "PGPASSWORD", "MYSQL_PWD", "DB_PASS", "SSHPASS", "KEY_PASSPHRASE", "CLIENT_SECRET", "GOOGLE_APPLICATION_CREDENTIALS",
		"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "DATABASE_URL", "APP_DATABASE_URL", "REDIS_URL", "SENTRY_DSN",
		"SLACK_WEBHOOK_URL", "AZURE_DEVOPS_EXT_PAT", "NPM_AUTH", "DOCKER_AUTH_CONFIG", "AZURE_STORAGE_CONNECTION_STRING",
		"BELLCORD_STORE", "BELLCORD_NATS", "BELLCORD_TOKEN", "BELLCORD_TELEGRAM_TOKEN",
	} {
		if !secret.Named(name) {
			t.Errorf("%s is not taken for a secret", name)
		}
	}
	for _, name := range []string{
		"PATH", "HOME", "PWD", "OLDPWD", "LANG", "SSH_AUTH_SOCK", "XAUTHORITY", "KEYBOARD_LAYOUT", "MAX_TOKENS", "TOKENIZERS_PARALLELISM", "COMPASS",
		"OPENAI_BASE_URL", "AWS_REGION", "AWS_PROFILE", "HTTPS_PROXY", "BELLCORD_DATA", "BELLCORD_MODEL", "BELLCORD_PROC", "OTEL_EXPORTER_OTLP_ENDPOINT",
		"GOPATH", "MONKEY", "SQUEAK", "PATTERN", "EDITOR",
	} {
		if secret.Named(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
}

func TestCheckPass_OwnCredential_IsRefused(t *testing.T) {
	t.Parallel()
	if err := secret.CheckPass([]string{"GITHUB_TOKEN", "NPM_*"}); err != nil {
		t.Error(err)
	}
	var refused *secret.PassError
	if err := secret.CheckPass([]string{"GITHUB_TOKEN", "BELLCORD_STORE"}); !errors.As(err, &refused) || refused.Name != "BELLCORD_STORE" {
		t.Errorf("%v", err)
	}
}
