//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/peers/features/internal/drive"
)

// TestMain runs the program itself if a test or an agent starts the test binary as the program.
func TestMain(m *testing.M) {
	if os.Getenv("FEATURES_TEST_MAIN") != "" || len(os.Args) == 2 && os.Args[1] == mcpServer {
		main()
		return
	}
	os.Exit(m.Run())
}

// The test hosts Bellcord's own agent behind Bellcord.
func TestCompareCommand_BellcordsAgent_IsKeptBehindBellcord(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("drives an agent through all stages, twice")
	}
	bellcord := os.Getenv("BELLCORD_BIN")
	if bellcord == "" {
		bellcord = filepath.Join(t.TempDir(), "bellcord")
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bellcord, "github.com/bellcord/bellcord/cmd/bellcord").CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-bellcord", bellcord, "-json", "-sandbox", "off", "-shell", "shell:command", "--",
		bellcord, "acp", "--data-dir", t.TempDir(), "--model", "openai/fake")
	cmd.Env, cmd.Stderr = append(os.Environ(), "FEATURES_TEST_MAIN=1", "XDG_CONFIG_HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir()), os.Stderr
	out, err := cmd.Output()
	var report struct{ Features []drive.Comparison }
	if failed := json.Unmarshal(out, &report); failed != nil || err != nil {
		t.Fatalf("%v, %v: %s", err, failed, out)
	}
	kept := 0
	for _, c := range report.Features {
		switch {
		case c.Lost != "" && c.Reason == "":
			t.Errorf("%s: %s", c.Feature, c.Lost)
		case c.Bare.State == drive.Present && c.Lost == "":
			kept++
		}
	}
	if kept < 25 {
		t.Errorf("%d features are kept, want at least 25: %s", kept, out)
	}
}

func TestPrintComparison_LostFeature_IsCountedUnlessOnPurpose(t *testing.T) {
	t.Parallel()
	kept := drive.Comparison{Feature: "fork", Bare: drive.Finding{State: drive.Present}, Behind: drive.Finding{State: drive.Present}}
	for _, test := range []struct {
		second drive.Comparison
		want   int
	}{{drive.Comparison{Lost: "absent", Reason: "on purpose"}, 0}, {drive.Comparison{Lost: "absent"}, 1}} {
		if lost, err := (options{json: true}).printComparison("x", []drive.Comparison{kept, test.second}); err != nil || lost != test.want {
			t.Errorf("%d are lost, want %d; %v", lost, test.want, err)
		}
	}
}
