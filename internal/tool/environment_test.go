//go:build unix

package tool_test

import (
	"context"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool"
)

// secrets sets variables that a command must not receive, a secret that is
// passed, and a variable that is not a secret.
func secrets(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"OPENAI_API_KEY", "MISTRAL_API_KEY", "PGPASSWORD", "OTEL_EXPORTER_OTLP_HEADERS", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL",
		"BELLCORD_STORE", "BELLCORD_NATS", "BELLCORD_TOKEN", "BELLCORD_TELEGRAM_TOKEN",
	} {
		t.Setenv(name, "SECRET-of-"+name)
	}
	t.Setenv("NPM_TOKEN", "passed")
	t.Setenv("SOMETHING_ELSE", "kept")
}

func checkSecrets(t *testing.T, env string) {
	t.Helper()
	if strings.Contains(env, "SECRET") || !strings.Contains(env, "NPM_TOKEN=passed") || !strings.Contains(env, "SOMETHING_ELSE=kept") {
		t.Errorf("a command gets %s", env)
	}
}

// Not parallel: it sets the environment.
func TestShell_SecretsInEnvironment_AreWithheldUnlessPassed(t *testing.T) {
	secrets(t)
	shell, resources := ownShell(t)
	resources.Env = secret.Environment{Pass: []string{"NPM_TOKEN"}}
	r := shell.Run(context.Background(), tool.Call{Dir: t.TempDir(), Output: func(string) {}, Args: []byte(`{"command":"env"}`)})
	checkSecrets(t, r.Text)
}

// Not parallel: it sets the environment.
func TestShell_SecretsInBackgroundCommand_AreWithheldUnlessPassed(t *testing.T) {
	secrets(t)
	shell, resources := ownShell(t)
	resources.Env = secret.Environment{Pass: []string{"NPM_TOKEN"}}
	r := shell.Run(context.Background(), tool.Call{Session: "s", Dir: t.TempDir(), Output: func(string) {}, Args: []byte(`{"command":"env; echo all","background":true}`)})
	file := regexp.MustCompile(`output in (.*)\]`).FindStringSubmatch(r.Text)
	if file == nil {
		t.Fatal(r.Text)
	}
	for end := time.Now().Add(30 * time.Second); ; {
		env, err := os.ReadFile(file[1])
		if err != nil || time.Now().After(end) {
			t.Fatalf("%v: %s", err, env)
		}
		if strings.HasSuffix(string(env), "all\n") {
			checkSecrets(t, string(env))
			return
		}
		<-time.After(10 * time.Millisecond)
	}
}

// Not parallel: it sets the environment.
func TestEditorShell_SecretsInEnvironment_AreBlankInEditorTerminal(t *testing.T) {
	secrets(t)
	var got tool.EditorCommand
	fromEditor := tool.EditorTools{Env: secret.Environment{Pass: []string{"NPM_TOKEN"}}, Run: func(_ context.Context, c tool.EditorCommand) (tool.EditorExit, error) {
		got = c
		return tool.EditorExit{}, nil
	}}
	fromEditor.Tools([]tool.Tool{aShell(t)})[0].Run(context.Background(), tool.Call{Dir: t.TempDir(), Output: func(string) {}, Args: []byte(`{"command":"env"}`)})
	blank := " " + strings.Join(slices.Sorted(maps.Keys(got.Env)), " ") + " "
	if !strings.Contains(blank, " OPENAI_API_KEY ") || !strings.Contains(blank, " PGPASSWORD ") || strings.Contains(blank, "NPM_TOKEN") || strings.Contains(blank, "SOMETHING_ELSE") {
		t.Error(blank)
	}
}
