package app

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/permit"
)

func TestOpenPolicy_PermanentGrant_SurvivesARestart(t *testing.T) {
	t.Parallel()
	c := config.Config{DataDir: t.TempDir()}
	anna := permit.Session{ID: "one", Owner: "anna", Dir: "/work"}
	call := permit.Call{Tool: "shell", Effect: permit.Executes, Subject: "make", Exact: `{"command":"make"}`}
	first, err := openPolicy(c, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Grant(anna, call, true); err != nil {
		t.Fatal(err)
	}
	second, err := openPolicy(c, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	if d := second.Decide(anna, permit.Ask, call); d.Verdict != permit.Allow {
		t.Errorf("the same owner: %s", d.Verdict)
	}
	if d := second.Decide(permit.Session{ID: "two", Owner: "bob", Dir: "/work"}, permit.Ask, call); d.Verdict != permit.Put {
		t.Errorf("another owner: %s", d.Verdict)
	}
}

func TestOpenPolicy_FileOfAnEarlierVersion_IsIgnoredWithAWarning(t *testing.T) {
	t.Parallel()
	c := config.Config{DataDir: t.TempDir()}
	path := filepath.Join(c.DataDir, "allowed.json")
	if err := os.WriteFile(path, []byte(`["shell"]`), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	p, err := openPolicy(c, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	call := permit.Call{Tool: "shell", Effect: permit.Executes, Subject: "make", Exact: "make"}
	if d := p.Decide(permit.Session{}, permit.Ask, call); d.Verdict != permit.Put {
		t.Errorf("a rule of the old file still holds: %s", d.Verdict)
	}
	if !strings.Contains(log.String(), path) || !strings.Contains(log.String(), "has rules of an earlier version: delete it") {
		t.Errorf("logged %q", log.String())
	}
	if err := os.WriteFile(path, []byte(`[{"tool":"shell"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openPolicy(c, slog.Default()); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged file: %v", err)
	}
}
