//go:build unix

package tool_test

import (
	"context"
	"testing"

	"github.com/bellcord/bellcord/internal/tool"
)

// Not parallel: it sets the environment.
func TestACommandDoesNotGetOurOwnKeys(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	t.Setenv("BELLCORD_STORE", "postgres://secret")
	t.Setenv("BELLCORD_NATS", "nats://secret")
	t.Setenv("BELLCORD_TOKEN", "secret")
	t.Setenv("BELLCORD_TELEGRAM_TOKEN", "1:SECRET")
	t.Setenv("SOMETHING_ELSE", "kept")
	r := aShell(t).Run(context.Background(), tool.Call{
		Dir: t.TempDir(), Output: func(string) {}, Args: []byte(`{"command":"echo \"[$OPENAI_API_KEY$BELLCORD_STORE$BELLCORD_NATS$BELLCORD_TOKEN$BELLCORD_TELEGRAM_TOKEN$SOMETHING_ELSE]\""}`),
	})
	if r.Text != "[kept]\n" {
		t.Errorf("%q", r.Text)
	}
}
