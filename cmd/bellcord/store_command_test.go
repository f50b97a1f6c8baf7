//go:build unix

package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// A backup completes while twenty turns stream, and contains a complete store.
func TestStoreBackup_WhileTurnsStream_CompletesAndRestores(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newServerWorld(t)
	server := w.daemon(nil)
	var sessions []bellcord.SessionID
	for range 20 {
		session, _ := server.prompts("[slow 100000 2ms]")
		sessions = append(sessions, session)
	}
	for _, session := range sessions {
		server.until(session, "text_delta")
	}
	file := filepath.Join(t.TempDir(), "backup.db")
	out, errs, code := w.does("store", "backup", file)
	if code != 0 || !strings.Contains(out, "MB in ") {
		t.Fatalf("backup: exit code %d, %s%s", code, out, errs)
	}
	t.Log("with 20 turns that stream:", strings.TrimSpace(out[strings.Index(out, ": ")+2:]))
	if out, errs, code := w.does("store", "backup", file); code == 0 {
		t.Errorf("a backup was overwritten: %s%s", out, errs)
	}
	if out, errs, code := w.does("store", "check"); code != 0 || !strings.Contains(out, "20 sessions, 20 turns") {
		t.Errorf("check while a server runs: exit code %d, %s%s", code, out, errs)
	}
	if out, errs, code := w.does("store", "restore", file); code == 0 || !strings.Contains(errs, "in use") {
		t.Errorf("restore under a server: exit code %d, %s%s", code, out, errs)
	}
	if status := server.request("POST", "/v1/stop", api.Stop{}, nil); status >= 300 {
		t.Errorf("stop: %d", status)
	}
	server.terminates()
	server.ends()

	other := newServerWorld(t)
	other.url = w.url
	if out, errs, code := other.does("store", "restore", file); code != 0 || !strings.Contains(out, "token") {
		t.Fatalf("restore: exit code %d, %s%s", code, out, errs)
	}
	restored := other.daemon(nil) // it contains a token
	var all api.Sessions
	if status := restored.request("GET", "/v1/sessions", nil, &all); status != 200 || len(all.Sessions) != 20 {
		t.Errorf("%d sessions after the restore, status %d", len(all.Sessions), status)
	}
	if out, errs, code := other.does("store", "check"); code != 0 {
		t.Errorf("check after the restore: exit code %d, %s%s", code, out, errs)
	}
}

func TestServe_DatabaseDeleted_FailsUntilNewStore(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	first := w.daemon(nil)
	first.terminates()
	first.ends()
	if err := os.Remove(filepath.Join(w.data, "bellcord.db")); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := w.does("serve", "--addr", "127.0.0.1:0"); code != 1 || !strings.Contains(errs, "store restore") || !strings.Contains(errs, "--new-store") {
		t.Fatalf("serve: exit code %d, %s", code, errs)
	}
	w.daemon(nil, "--new-store")
}

func TestStoreCheck_DamagedStore_ExitsWith1(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if out, errs, code := w.does("run", "--mode", "full", strings.Repeat("some words to find again ", 400)); code != 0 {
		t.Fatalf("run: exit code %d, %s%s", code, out, errs)
	}
	path := filepath.Join(w.data, "bellcord.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(data), "words to find again") / 4096 * 4096
	if at <= 0 {
		t.Fatal("the text is not in the file")
	}
	copy(data[at:], strings.Repeat("\xff", 64))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := w.does("store", "check"); code != 1 || !strings.Contains(out, "problem:") {
		t.Errorf("check: exit code %d, %s%s", code, out, errs)
	}
}

func TestDoctor_EventOrReceiptChanged_ReportsTheStoreAsBroken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.starts("--mode", "full", "[say hello]")
	turn := string(p.until("turn_ended").Turn)
	receipt, errs, code := w.does("receipt", turn, "--json")
	file := filepath.Join(t.TempDir(), "receipt.json")
	if err := os.WriteFile(file, []byte(receipt), 0o600); err != nil || code != 0 {
		t.Fatalf("%v, exit code %d, %s", err, code, errs)
	}
	if out, errs, _ := w.does("doctor", "--receipt", file); !strings.Contains(out, "events match their hashes; the receipt matches the store") {
		t.Errorf("%s%s", out, errs)
	}
	db, err := sql.Open("sqlite", filepath.Join(w.data, "bellcord.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	change := func(statement string) {
		if result, err := db.Exec(statement, turn); err != nil {
			t.Fatal(err)
		} else if rows, err := result.RowsAffected(); err != nil || rows != 1 {
			t.Fatalf("%d rows, %v", rows, err)
		}
	}
	change(`UPDATE turns SET receipt = replace(receipt, '"done"', '"lost"') WHERE id = $1`)
	if out, errs, code := w.does("doctor"); code != exitFailed || !strings.Contains(out, "its record has another receipt than the log") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	change(`UPDATE events SET body = replace(body, 'hello', 'other') WHERE turn = $1 AND kind = 'text_delta'`)
	if out, errs, code := w.does("doctor"); code != exitFailed || !strings.Contains(out, "its hash does not match") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
}

func TestStoreBackup_PostgreSQL_NamesTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for verb, tool := range map[string]string{"backup": "pg_dump", "restore": "pg_restore"} {
		if _, errs, code := w.does("store", verb, "file", "--store-url", "postgres://nobody@127.0.0.1:1/none"); code != 1 || !strings.Contains(errs, tool) {
			t.Errorf("%s: exit code %d, %s", verb, code, errs)
		}
	}
}
