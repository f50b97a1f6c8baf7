package app

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/store"
)

// testConfig returns a Config with the fake model and a new data directory.
func testConfig(t *testing.T) Config {
	t.Helper()
	return Config{
		Settings: config.Config{
			DataDir: t.TempDir(), Model: "fake/fake", Mode: "ask",
			Provider: map[string]config.Provider{config.Fake: {API: config.Fake}},
		},
		Version: "1.2.3", Secrets: &secret.Set{}, Logger: slog.New(slog.DiscardHandler),
	}
}

func openTest(t *testing.T, c Config) *App {
	t.Helper()
	a, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// runPrompt runs a turn in a new session and returns its record after it has
// settled.
func runPrompt(t *testing.T, a *App, text string) store.TurnRecord {
	t.Helper()
	s, err := a.Hub.NewSession(t.Context(), bellcord.Session{Dir: t.TempDir(), Model: "fake/fake", Mode: "ask"})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := a.Hub.Prompt(s.ID, bellcord.Prompt{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Settled()
	record, err := a.Store.Turn(t.Context(), turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestOpen_FakeModel_AnswersWithItsNotice(t *testing.T) {
	t.Parallel()
	a := openTest(t, testConfig(t))
	record := runPrompt(t, a, "hello")
	answer, err := a.Hub.TurnAnswer(t.Context(), record.ID)
	if err != nil || answer.Text != FakeNotice+"You said: hello" {
		t.Errorf("%q, %v", answer.Text, err)
	}
}

func TestOpen_FakeModel_SecondAnswerOfASessionHasNoNotice(t *testing.T) {
	t.Parallel()
	a := openTest(t, testConfig(t))
	first := runPrompt(t, a, "hello")
	turn, err := a.Hub.Prompt(first.Session, bellcord.Prompt{Text: "again"})
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Settled()
	answer, err := a.Hub.TurnAnswer(t.Context(), turn.ID)
	if err != nil || answer.Text != "You said: again" {
		t.Errorf("%q, %v", answer.Text, err)
	}
}

// lockedBuffer is a buffer with a Write that is safe for concurrent use.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func TestClose_WithTurnLog_LogsFailedTurnsAndCallsWatch(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	var log lockedBuffer
	var mu sync.Mutex
	commits := 0
	c.TurnLog = slog.New(slog.NewTextHandler(&log, nil))
	c.Watch = func(store.Commit) { mu.Lock(); defer mu.Unlock(); commits++ }
	a, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	record := runPrompt(t, a, "[status 400]")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), `msg="turn failed"`) || !strings.Contains(log.String(), string(record.ID)) {
		t.Errorf("logged %q", log.String())
	}
	if commits == 0 {
		t.Error("the watcher saw no commit")
	}
}

func TestOpen_UnknownAgent_FailsAndReleasesTheDataDirectory(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.TurnLog = c.Logger
	wrong := c
	wrong.Settings.Agent = "gose"
	if _, err := Open(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), `did you mean "goose"?`) {
		t.Fatalf("%v", err)
	}
	openTest(t, c)
}

func TestOpenStore_InvalidLocation_ReturnsAnErrorWithTheSetting(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, settings := range map[string]config.Config{
		"--data-dir":  {DataDir: file},
		"postgres://": {DataDir: t.TempDir(), StoreURL: "mysql://x"},
	} {
		c := testConfig(t)
		c.Settings = settings
		if _, err := OpenStore(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", settings, err)
		}
	}
}

func TestRemoveWorkspace_OtherDirectories_AreKept(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	a := openTest(t, c)
	own := filepath.Join(WorkspacesDir(c.Settings.DataDir), "s1")
	named := t.TempDir()
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, s := range []bellcord.Session{{ID: "s1", Dir: named}, {ID: "s2", Dir: own}, {ID: "", Dir: WorkspacesDir(c.Settings.DataDir)}} {
		if err := a.RemoveWorkspace(s); err != nil {
			t.Error(err)
		}
	}
	for _, dir := range []string{own, named} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("removed: %v", err)
		}
	}
	if err := a.RemoveWorkspace(bellcord.Session{ID: "s1", Dir: own}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(own); !os.IsNotExist(err) {
		t.Errorf("the workspace is still there: %v", err)
	}
}

func TestEditor_CloseWithoutOpen_DoesNothing(t *testing.T) {
	t.Parallel()
	var e Editor
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestEditor_Open_ReturnsTheHubOfItsApp(t *testing.T) {
	t.Parallel()
	var e Editor
	front := e.Open(t.Context(), testConfig(t))
	if front.Model != "fake/fake" || front.Owner != MachineOwner || front.CheckModel("fake/other") == nil {
		t.Errorf("%+v", front)
	}
	hub, err := e.Hub()
	if err != nil || hub == nil {
		t.Fatal(hub, err)
	}
	front.Closed("none") // a session that is not there
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestEditor_StoreThatDoesNotOpen_ReturnsAnErrorWithoutSecrets(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Settings.DataDir = filepath.Join(c.Settings.DataDir, "sk-secret-1234567890")
	if err := os.WriteFile(c.Settings.DataDir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.Secrets.Add("sk-secret-1234567890")
	var e Editor
	e.Open(t.Context(), c)
	if _, err := e.Hub(); err == nil || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("%v", err)
	}
}
