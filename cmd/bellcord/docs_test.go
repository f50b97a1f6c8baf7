//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notRun contains the documents with commands that a test cannot run, and the reason.
var notRun = map[string]string{
	"docs/http.md":     "a server: TestDocs_HTTPCommands_ReturnShownAnswers runs all of it against one",
	"docs/agents.md":   "agents of other programs; peers/matrix has them",
	"docs/page.md":     "a person's browser; peers/page has one",
	"docs/models.md":   "a fake model at the port that people use",
	"docs/telegram.md": "servers at the ports that people use; TestLaw23_ClearOrStopAtAnyMoment_LeavesChatConsistent has real ones",
}

// documents returns README.md and all of docs/, as paths in the repository.
func documents(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(found) < 20 {
		t.Fatalf("%d documents, %v", len(found), err)
	}
	all := []string{"README.md"}
	for _, path := range found {
		all = append(all, "docs/"+filepath.Base(path))
	}
	return all
}

// The test runs every sh block of every document, those of one document in one shell, in the
// environment of a new installation.
func TestDocs_ShellBlocks_PrintShownOutput(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		missing(t, "bash")
	}
	for _, document := range documents(t) {
		all := blocks(t, filepath.Join("..", "..", document))
		switch reason, excused := notRun[document]; {
		case excused && len(all) == 0:
			t.Errorf("%s is not run (%s), but there is nothing in it to run", document, reason)
		case !excused && len(all) > 0:
			t.Run(document, func(t *testing.T) {
				t.Parallel()
				runBlocks(t, all)
			})
		}
	}
}

// runBlocks runs the blocks and compares their output with the output that the document shows.
func runBlocks(t *testing.T, all []block) {
	t.Helper()
	n := newNewcomer(t)
	out := t.TempDir()
	script := "set -eu -o pipefail\n"
	for i, b := range all {
		script += fmt.Sprintf("{\n%s\n} >%q/%d\n", b.text, out, i)
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = n.home
	cmd.Env = []string{"BELLCORD_TEST_MAIN=1", "HOME=" + n.home, "PATH=" + ourselves(t) + ":/usr/bin:/bin"}
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	for i, b := range all {
		answer, err := os.ReadFile(filepath.Join(out, fmt.Sprint(i)))
		if err != nil {
			t.Fatalf("line %d was not reached: %v", b.line, err)
		}
		if b.said != "" && string(answer) != b.said+"\n" {
			t.Errorf("line %d says\n%s\nbut it is\n%s", b.line, b.said, answer)
		}
	}
}

// ourselves returns a directory with this program as bellcord, and with a go command that copies it
// instead of compiling it.
func ourselves(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	self := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", os.Args[0])
	compiler := fmt.Sprintf("#!/bin/sh\nmkdir -p bin && cp %q bin/bellcord\n", filepath.Join(bin, "bellcord"))
	for name, text := range map[string]string{"bellcord": self, "go": compiler} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// The test searches the source for each message, so that the page lists no message that the program
// no longer prints.
func TestDocs_TroubleshootingMessages_ExistInSource(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	source := sourceText(t)
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		message := row[1]
		if message == "address already in use" {
			continue // a message of the operating system
		}
		if !strings.Contains(source, message) {
			t.Errorf("nothing says %q any more", message)
		}
	}
}

// The test compares agent.json, with which editors find Bellcord, with the systems of a release.
func TestRegistryEntry_Targets_CoverEveryReleasedSystem(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "agent.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entry struct {
		ID, Version  string
		Distribution struct {
			Binary map[string]struct {
				Archive, Cmd string
				Args         []string
			}
		}
	}
	if err := json.Unmarshal(text, &entry); err != nil {
		t.Fatal(err)
	}
	if entry.ID != "bellcord" || !strings.HasPrefix(version, entry.Version) {
		t.Errorf("it is %s %s, and the program %s", entry.ID, entry.Version, version)
	}
	for _, system := range []string{"darwin", "linux", "windows"} {
		for machine, arch := range map[string]string{"aarch64": "arm64", "x86_64": "amd64"} {
			b := entry.Distribution.Binary[system+"-"+machine]
			if !strings.Contains(b.Archive, "/v"+entry.Version+"/bellcord_"+entry.Version+"_"+system+"_"+arch+".") || len(b.Args) != 1 || b.Args[0] != "acp" {
				t.Errorf("%s-%s: %+v", system, machine, b)
			}
		}
	}
}

func sourceText(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		b.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
