package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestProgram_Run_StopsTheCommandAndPrintsItsProcesses(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "runner")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(program)
	run.Dir = dir
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range []string{`stopped by anna: seen enough`, `6 bytes of text kept`, `terminated: sleep 1000`, `0 processes left, proof: (cgroup_empty|process_scan)`} {
		if !regexp.MustCompile(`(?m)^` + line + `$`).Match(out) {
			t.Errorf("the program does not print %q:\n%s", line, out)
		}
	}
}
