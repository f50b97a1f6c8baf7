//go:build unix

package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

func TestStoreCheck_HashIsDamaged_DoesNotAdviseToRunItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if out, errs, code := w.does("run", "[say hello]"); code != 0 {
		t.Fatalf("%s%s, exit code %d", out, errs, code)
	}
	db, err := sql.Open("sqlite", filepath.Join(w.data, "bellcord.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE events SET hash = x'00' WHERE seq = 2`); err != nil {
		t.Fatal(err)
	}
	out, errs, code := w.does("store", "check")
	if code != exitFailed || !strings.Contains(out, "the store is damaged: restore a backup: event 2 ") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
	if strings.Contains(out+errs, "bellcord store check") {
		t.Errorf("store check advises to run itself: %s%s", out, errs)
	}
}
