//go:build unix

package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// gets makes a request without a body and returns the status and the complete answer.
func (s *daemon) gets(path string) (status int, body string) {
	s.t.Helper()
	resp, err := s.client.Get(s.url + path)
	if err != nil {
		s.t.Fatalf("%s: %v; %s", path, err, s.stderrText())
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestServe_SchemaBecomesNewer_DrainsAndExitsWithReason(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newServerWorld(t)
	settings := filepath.Join(w.dir, "node.toml")
	if err := os.WriteFile(settings, []byte("[cluster]\nlease_duration = \"30s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := ownSchema(t).String()
	s := w.daemon(nil, "--config", settings, "--store-url", store, "--shutdown-grace", "15s")
	session, turn := s.prompts("[slow 100000 5ms]")
	s.until(session, "text_delta")
	db, err := pgx.Connect(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if status, _ := s.gets("/readyz"); status != http.StatusOK {
		t.Errorf("/readyz before: %d", status)
	}
	if _, err := db.Exec(t.Context(), `UPDATE schema_version SET version = version + 1`); err != nil {
		t.Fatal(err)
	}

	var status int
	var body string
	eventually(t, "it is not ready", func() bool { status, body = s.gets("/readyz"); return status == http.StatusServiceUnavailable })
	if !strings.Contains(body, "a newer bellcord wrote it") {
		t.Errorf("/readyz says %s", body)
	}
	if status := s.request("POST", "/v1/sessions/"+string(session)+"/turns", api.NewTurn{Text: "hello"}, nil); status != http.StatusServiceUnavailable {
		t.Errorf("a prompt is answered %d", status)
	}
	var record api.Turn
	if status := s.request("GET", "/v1/turns/"+string(turn), nil, &record); status != http.StatusOK || record.State != api.Running {
		t.Errorf("the turn that runs is %q, %d", record.State, status)
	}
	select {
	case <-s.exited:
	case <-time.After(2 * time.Minute):
		t.Fatalf("it does not end: %s", s.stderrText())
	}
	if code := s.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d", code)
	}
	lines := strings.Split(strings.TrimSpace(s.stderrText()), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, "a newer bellcord wrote it; update this program") {
		t.Errorf("it ends with %q", last)
	}
	var receipt string
	if err := db.QueryRow(t.Context(), `SELECT receipt FROM turns WHERE id = $1`, string(turn)).Scan(&receipt); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"end":"stopped"`, `"kind":"shutdown"`, `"by":"upgrade"`} {
		if !strings.Contains(receipt, part) {
			t.Errorf("%s is not in the receipt %s", part, receipt)
		}
	}
}
