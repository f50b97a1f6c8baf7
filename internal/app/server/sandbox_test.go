//go:build unix

package server

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

func TestRun_Start_LogsTheLevelOfTheSandboxOnce(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		config.SandboxAuto: `"mode":"auto","level":"`,
		config.SandboxOff:  "commands run without a sandbox, as the settings require",
	} {
		c := testConfig(t)
		var log bytes.Buffer // the handler of slog writes one line at a time
		c.Logger = slog.New(slog.NewJSONHandler(&log, nil))
		c.Settings.Sandbox.Mode = mode
		s, err := Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		signals := make(chan os.Signal, 1)
		signals <- os.Interrupt
		if err := s.Run(signals, nil); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), want); n != 1 {
			t.Errorf("%s: %d times %q in\n%s", mode, n, want, log.String())
		}
	}
}
