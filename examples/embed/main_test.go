package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestProgram_Run_StopsTurnAndPrintsReceipt(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "embed")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(program)
	run.Dir = dir
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !regexp.MustCompile(`stopped by anna, [1-9]\d* bytes kept\n$`).Match(out) {
		t.Fatalf("the program printed %q", out)
	}
}
