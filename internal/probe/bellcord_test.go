//go:build unix

package probe_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/probe"
)

// bellcordBinary returns the program that BELLCORD_BIN names, or builds one.
func bellcordBinary(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("BELLCORD_BIN"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "bellcord")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/bellcord").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestRun_BellcordsAgent_PassesAllChecks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and starts bellcord")
	}
	binary := bellcordBinary(t)
	for _, mode := range []string{"ask", "full"} {
		t.Run("mode "+mode, func(t *testing.T) {
			t.Parallel()
			strict := fakemodel.New()
			running, url, err := strict.Listen("")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = running.Close() })
			home := t.TempDir()
			found := grades(t, probe.Target{
				Name: "bellcord", Command: []string{binary, "acp", "--data-dir", filepath.Join(home, "data"), "--model", "openai/fake", "--mode", mode},
				Dir: t.TempDir(), Env: []string{"OPENAI_BASE_URL=" + url, "OPENAI_API_KEY=x", "XDG_CONFIG_HOME=" + home, "HOME=" + home},
				Model: strict, ShellTool: "shell", ShellArgs: shellArgs,
			}, probe.Options{Tries: 10, Patience: 6 * time.Second, Quiet: 300 * time.Millisecond, Later: 500 * time.Millisecond})
			for check, grade := range found {
				unasked := mode == "full" && strings.HasPrefix(check, "permission-") && grade == probe.Skip
				if grade != probe.Pass && !unasked && !optional(check, grade) {
					t.Errorf("%s: %s", check, grade)
				}
			}
			if r := strict.Rejections(); len(r) > 0 {
				t.Errorf("rejected by the model: %v", r)
			}
		})
	}
}
