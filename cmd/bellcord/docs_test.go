//go:build unix

package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documents returns README.md and all of docs/, as paths in the repository.
func documents(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md"}
	for _, dir := range []string{"docs", "docs/dev"} {
		found, err := filepath.Glob(filepath.Join("..", "..", dir, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			all = append(all, dir+"/"+filepath.Base(path))
		}
	}
	if len(all) < 20 {
		t.Fatalf("%d documents", len(all))
	}
	return all
}

// reference contains the documents that readers search instead of reading them from the beginning.
var reference = []string{
	"docs/cli.md", "docs/config.md", "docs/events.md", "docs/http-reference.md",
	"docs/dev/packages.md", "docs/dev/peers.md",
}

// The test compares the first sentence: a tutorial promises a result, and any other page states what
// the reader is able to do afterwards.
func TestDocs_FirstSentence_NamesWhatTheReaderCanDo(t *testing.T) {
	t.Parallel()
	for _, document := range documents(t)[1:] { // README.md introduces the project
		if slices.Contains(reference, document) {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", "..", document))
		if err != nil {
			t.Fatal(err)
		}
		_, opening, _ := strings.Cut(string(text), "\n\n")
		tutorial := strings.HasPrefix(document, "docs/tutorial-")
		if !strings.HasPrefix(opening, "You will ") && (tutorial || !strings.HasPrefix(opening, "After this page you ")) {
			t.Errorf("%s begins with %q", document, strings.SplitN(opening, "\n", 2)[0])
		}
	}
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
