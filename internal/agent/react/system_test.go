package react_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInstructions_OfDirectoryAndParents_AreInSystemPrompt(t *testing.T) {
	// The directory for temporary files may be inside a repository.
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	root := t.TempDir()
	dir := filepath.Join(root, "repo", "deep", "er")
	put(t, filepath.Join(dir, "CLAUDE.md"), "INNER")
	put(t, filepath.Join(root, "repo", "deep", "AGENTS.md"), "MIDDLE")
	put(t, filepath.Join(root, "repo", "deep", "CLAUDE.md"), "NOT THIS")
	put(t, filepath.Join(root, "repo", "AGENTS.md"), strings.Repeat("OUTER ", 20_000))
	put(t, filepath.Join(root, "repo", ".git", "HEAD"), "ref")
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o700); err != nil { // empty: not a repository
		t.Fatal(err)
	}
	put(t, filepath.Join(root, "AGENTS.md"), "NOT THIS EITHER")
	own := put(t, filepath.Join(root, "home", "AGENTS.md"), "MINE")
	m := &model{script: []answer{{text: "ok"}, {text: "ok"}, {text: "ok"}}}
	onStage(t, m, "full", none, func(t *testing.T, s *stage) {
		s.agent.Instructions = []string{own, filepath.Join(root, "missing.md")}
		ask := func(at string) string {
			if _, err := s.Configure(s.session.ID, bellcord.SessionUpdated{Dir: at}); err != nil {
				t.Fatal(err)
			}
			s.run("hi")
			return m.requests[len(m.requests)-1].System
		}
		system := ask(dir)
		at := -1
		for _, part := range []string{"You are Bellcord", "MINE", "OUTER", "[the rest of the file is omitted]", "MIDDLE", "INNER", "Working directory: " + dir, "a git repository"} {
			i := strings.Index(system, part)
			if i < at {
				t.Errorf("%q is not in its place", part)
			}
			at = i
		}
		if strings.Contains(system, "NOT THIS") || len(system) > 75_000 {
			t.Errorf("%d bytes: %.300s", len(system), system)
		}
		if again := ask(dir); again != system {
			t.Error("it is not the same the second time")
		}
		if outside := ask(root); strings.Contains(outside, "git repository") || !strings.Contains(outside, "NOT THIS EITHER") {
			t.Errorf("without a repository: %s", outside)
		}
	})
}

func TestSystemPrompt_CustomTemplate_IsExecuted(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{{text: "ok"}}}
	onStage(t, m, "full", none, func(t *testing.T, s *stage) {
		s.agent.System = "Work in {{.Dir}} on {{.System}} since {{.Started}}."
		s.run("hi")
		if got := m.requests[0].System; !strings.HasPrefix(got, "Work in "+s.session.Dir+" on ") || !strings.Contains(got, "since 2000-01-01") {
			t.Errorf("%s", got)
		}
		s.agent.System = "{{.Nothing}}"
		if r := s.run("hi"); r.End != bellcord.EndFailed || !strings.Contains(r.Error, "Nothing") {
			t.Errorf("%+v", r)
		}
	})
}

func TestAttach_LinksInPrompt_AddsFileTextForModel(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{{text: "ok"}}}
	tools := func(*stage) []tool.Tool { return []tool.Tool{tool.ReadFile()} }
	onStage(t, m, "ask", tools, func(t *testing.T, s *stage) {
		dir := s.session.Dir
		put(t, filepath.Join(dir, "a b.txt"), "one\ntwo\nthree\nfour\n")
		outside := put(t, filepath.Join(t.TempDir(), "secret.txt"), "SECRET")
		var links []bellcord.Link
		for _, uri := range []string{
			"file://" + dir + "/a%20b.txt#L2:3", "file://" + dir + "/a%20b.txt#L4", "file://" + dir + "/a%20b.txt#L3-2",
			"file://" + dir + "/missing", "file://" + outside, "file://elsewhere/x", "https://example.org/", "::",
		} {
			links = append(links, bellcord.Link{URI: uri})
		}
		turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Text: "look here", Links: links})
		if err != nil {
			t.Fatal(err)
		}
		<-turn.Settled()
		system := m.requests[0].Messages[0].Text
		want := "look here\n\n[" + links[0].URI + "]\n2→two\n3→three\n[lines 2-3 of 4; continue with offset 4]\n\n\n[" + links[1].URI + "]\n4→four\n[lines 4-4 of 4]\n"
		if system != want {
			t.Errorf("system prompt %q, want %q", system, want)
		}
		history, err := history.Read(t.Context(), s.store, s.session.ID)
		if err != nil || history[0].Text != system {
			t.Errorf("on record %q, %v", history[0].Text, err)
		}
	})
}

func TestCall_InvalidToolName_IsRecordedSanitized(t *testing.T) {
	t.Parallel()
	bad := use("rm -rf / 漢")
	m := &model{script: []answer{{}, {text: "ok"}}}
	m.script[0].calls = append(m.script[0].calls, bad)
	onStage(t, m, "full", none, func(t *testing.T, s *stage) {
		s.run("go")
		got := m.requests[1].Messages[1].Calls[0]
		if got.Name != "rm_-rf____" || !json.Valid(got.Arguments) || !strings.Contains(s.resultSent(bad.ID), `unknown tool \"rm -rf`) && !strings.Contains(s.resultSent(bad.ID), `unknown tool "rm -rf`) {
			t.Errorf("recorded %+v, told %q", got, s.resultSent(bad.ID))
		}
	})
}

func TestSystemPrompt_AdditionalDirectories_AreNamedAndCanBeRead(t *testing.T) {
	t.Parallel()
	other := t.TempDir()
	path := put(t, filepath.Join(other, "note.txt"), "from elsewhere")
	args, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		t.Fatal(err)
	}
	m := &model{script: []answer{{calls: []llm.Call{{ID: "1", Name: "read_file", Args: string(args)}}}, {text: "ok"}}}
	onStage(t, m, "ask", func(*stage) []tool.Tool { return []tool.Tool{tool.ReadFile()} }, func(t *testing.T, s *stage) {
		if _, err := s.Configure(s.session.ID, bellcord.SessionUpdated{AdditionalDirs: &[]string{other}}); err != nil {
			t.Fatal(err)
		}
		s.run("read it")
		if system := m.requests[0].System; !strings.Contains(system, "also access the directory "+other+": use") {
			t.Errorf("the system prompt is %q", system)
		}
		messages := m.requests[1].Messages
		if last := messages[len(messages)-1]; !strings.Contains(fmt.Sprint(last), "from elsewhere") {
			t.Errorf("the tool returned %+v", last)
		}
	})
}

func TestSystemPrompt_BuiltIn_HasAtMost700Words(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{{text: "ok"}}}
	onStage(t, m, "ask", none, func(t *testing.T, s *stage) {
		s.run("hi")
		if n := len(strings.Fields(m.requests[0].System)); n > 700 || n < 300 {
			t.Errorf("the system prompt has %d words", n)
		}
	})
}

func TestSystemPrompt_Sandbox_IsDescribedAsItIs(t *testing.T) {
	t.Parallel()
	for _, sandboxed := range []bool{true, false} {
		m := &model{script: []answer{{text: "ok"}}}
		onStage(t, m, "ask", none, func(t *testing.T, s *stage) {
			s.agent.Sandboxed = func() bool { return sandboxed }
			s.run("hi")
			if got := m.requests[0].System; strings.Contains(got, "Commands run in a sandbox") != sandboxed || strings.Contains(got, "There is no sandbox") == sandboxed {
				t.Errorf("sandboxed %v: %s", sandboxed, got)
			}
		})
	}
}
