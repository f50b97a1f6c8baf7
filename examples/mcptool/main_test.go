package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTool_CalledByModel_ReturnsResultThroughBellcord(t *testing.T) {
	config, err := filepath.Abs("bellcord.toml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	build(t, ".", filepath.Join(dir, "mcptool"))
	bellcord := os.Getenv("BELLCORD_BIN")
	if bellcord == "" {
		bellcord = build(t, "../..", filepath.Join(dir, "bellcord"), "./cmd/bellcord")
	}
	for arguments, want := range map[string]string{
		`{"station":"Bern"}`:  "07:14 Thun",
		`{"station":"Berne"}`: `unknown station "Berne"`,
	} {
		run := exec.Command(bellcord, "run", "--config", config, "--model", "fake/fake", "--json",
			"--data-dir", filepath.Join(dir, "data"), "[tool mcp_timetable_departures "+arguments+"]")
		run.Dir = dir
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if result := strings.ReplaceAll(string(out), `\"`, `"`); !strings.Contains(result, want) {
			t.Errorf("%s: no %q in %s", arguments, want, out)
		}
	}
}

// build compiles a program of the module in dir.
func build(t *testing.T, dir, program string, packages ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-o", program}, packages...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return program
}
