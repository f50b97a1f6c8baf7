package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestProgram_AtServer_StopsTurnAndPrintsReceipt(t *testing.T) {
	dir := t.TempDir()
	server, token := serve(t, dir)
	program := build(t, ".", filepath.Join(dir, "client"))
	run := exec.Command(program, server)
	run.Env = append(os.Environ(), "BELLCORD_TOKEN="+token)
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !regexp.MustCompile(`\nstopped by admin \(seen enough\), [1-9]\d* bytes kept, 0 processes left\n$`).Match(out) {
		t.Fatalf("the program printed %q", out)
	}
}

// serve starts a server with the fake model and waits until it serves.
func serve(t *testing.T, dir string) (url, token string) {
	t.Helper()
	bellcord := os.Getenv("BELLCORD_BIN")
	if bellcord == "" {
		bellcord = build(t, "../..", filepath.Join(dir, "bellcord"), "./cmd/bellcord")
	}
	data := filepath.Join(dir, "data")
	server := exec.Command(bellcord, "serve", "--model", "fake/fake", "--addr", "127.0.0.1:0", "--data-dir", data)
	server.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line struct{ Msg, URL string }
		if err := json.Unmarshal(lines.Bytes(), &line); err == nil && line.Msg == "serving" {
			text, err := os.ReadFile(filepath.Join(data, "token"))
			if err != nil {
				t.Fatal(err)
			}
			return line.URL, strings.TrimSpace(string(text))
		}
	}
	t.Fatal("the server ended before it served")
	return "", ""
}

// build compiles a program of the module in dir.
func build(t *testing.T, dir, program string, packages ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-o", program}, packages...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, bytes.TrimSpace(out))
	}
	return program
}
