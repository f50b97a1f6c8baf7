//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestReceipt_StoppedTurn_ShowsProofAndIsVerifiedByStoreCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.starts("--mode", "full", `[tool shell {"command":"echo started; sleep 100"}]`)
	turn := string(p.until("tool_output_delta").Turn)
	if out, errs, code := w.does("receipt", turn); code == 0 || !strings.Contains(errs, "has not ended") {
		t.Errorf("of a running turn: %q %q, exit code %d", out, errs, code)
	}
	if out, errs, code := w.does("stop", turn); code != 0 {
		t.Fatalf("%q %q, exit code %d", out, errs, code)
	}
	out, errs, code := w.does("receipt", turn)
	for _, want := range []string{turn, "stopped by", "ended", "proof    ", "log      event "} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("no %q in %q %q, exit code %d", want, out, errs, code)
		}
	}
	text, errs, code := w.does("receipt", turn, "--json")
	var r bellcord.Receipt
	if err := json.Unmarshal([]byte(text), &r); err != nil || code != 0 || r.LogHead == nil || r.End != bellcord.EndStopped {
		t.Fatalf("%q %q, exit code %d: %v", text, errs, code, err)
	}
	file := filepath.Join(t.TempDir(), "receipt.json")
	check := func(text string) (string, int) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _, code := w.does("store", "check", "--receipt", file)
		return out, code
	}
	if out, code := check(text); code != 0 || !strings.Contains(out, "hashes verified") {
		t.Errorf("%q, exit code %d", out, code)
	}
	r.LogHead.Hash[0] ^= 1
	changed, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if out, code := check(string(changed)); code != exitFailed || !strings.Contains(out, "does not match: the store has another receipt") {
		t.Errorf("%q, exit code %d", out, code)
	}
}
