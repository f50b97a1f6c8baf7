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
	for _, want := range []string{turn, "end         stopped at ", "stop        by ", ", from bellcord stop at ", "; it took ", "tool calls  1 stopped (shell)", " ended, ", "log         event "} {
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

// leaves is a prompt whose command leaves two processes behind: one in a new session, one whose
// parent has exited.
// It waits until both are executed, so that the receipt has their names.
const leaves = `[tool shell {"command":"setsid nohup sleep 300 >/dev/null 2>&1 & a=$!; (sleep 301 >/dev/null 2>&1 & echo $! >b); for p in $a $(cat b); do until [ x$(head -c 5 /proc/$p/cmdline) = xsleep ]; do :; done; done; echo started"}]`

func TestReceipt_AnyPartOfAnID_IsResolvedInEveryStoreAndAtAServer(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string]func(*world) []string{
		"SQLite":     func(*world) []string { return nil },
		"PostgreSQL": func(w *world) []string { return []string{"--store-url", ownSchema(w.t).String()} },
		"server":     func(w *world) []string { return []string{"--server", w.hostsTurns()} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.resolvesReceipts(flags(w))
		})
	}
}

func (w *world) resolvesReceipts(flags []string) {
	t := w.t
	t.Helper()
	does := func(args ...string) (string, string, int) { return w.does(append(args, flags...)...) }
	if _, errs, code := does("receipt"); code != exitFailed || !strings.Contains(errs, "no turn has ended") {
		t.Errorf("without a turn: %q, exit code %d", errs, code)
	}
	ran := func(args ...string) bellcord.Receipt {
		p := w.starts(append(args, flags...)...)
		if p.drain(); p.end == nil {
			t.Fatalf("%v: %s", args, p.errs.String())
		}
		return *p.end
	}
	one := ran("first")
	two := ran("--session", string(one.Session), "second")
	three := ran("third")
	last := func(id string, n int) string { return id[len(id)-n:] }
	for _, test := range []struct {
		name string
		args []string
		want bellcord.TurnID
	}{
		{"no argument", nil, three.Turn},
		{"a complete turn", []string{string(one.Turn)}, one.Turn},
		{"the beginning of a turn", []string{strings.ToUpper(string(one.Turn)[:23])}, one.Turn},
		{"the end of a turn", []string{"…" + last(string(two.Turn), 8)}, two.Turn},
		{"a complete session", []string{string(one.Session)}, two.Turn},
		{"the end of a session", []string{last(string(one.Session), 8)}, two.Turn},
	} {
		out, errs, code := does(append([]string{"receipt", "--json"}, test.args...)...)
		var got bellcord.Receipt
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || got.Turn != test.want {
			t.Errorf("%s: turn %s, want %s: %q, exit code %d", test.name, got.Turn, test.want, errs, code)
		}
		if out, _, code := does(append([]string{"receipt"}, test.args...)...); code != 0 || !strings.Contains(out, string(test.want)) {
			t.Errorf("%s: %q, exit code %d", test.name, out, code)
		}
	}
	for word, want := range map[string]string{
		string(one.Turn)[:4]:          "is ambiguous: 3 ids", // of the three turns
		"zz":                          "neither a session nor a turn",
		string(bellcord.NewTurnID()):  "no such turn",
		" ":                           "the id is empty",
		"…" + string(one.Turn) + "ff": "neither a session nor a turn",
	} {
		if out, errs, code := does("receipt", word); code != exitFailed || !strings.Contains(errs, want) {
			t.Errorf("%q: %q %q, exit code %d; want %q", word, out, errs, code, want)
		}
	}
}

func TestReceipt_TokenWithoutScopeRead_IsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url := w.hostsTurns()
	p := w.starts("--server", url, "hello")
	p.drain()
	out, errs, code := w.does("token", "create", "--owner", "admin", "--scope", "stop")
	if code != 0 {
		t.Fatal(errs)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{string(p.end.Turn), string(p.end.Turn)[:20]} {
		if out, errs, code := w.does("receipt", id, "--server", url, "--token-file", file); code != exitFailed || !strings.Contains(errs, "requires the read scope") || out != "" {
			t.Errorf("%s: %q %q, exit code %d", id, out, errs, code)
		}
	}
}

func TestRun_DoneTurnThatEndedProcesses_SaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, errs, code := w.does("run", "--mode", "full", leaves)
	if code != 0 || !strings.Contains(errs, "● done after ") || !strings.Contains(errs, " · 2 processes ended, ") || strings.Contains(errs, "to continue") {
		t.Errorf("%q %q, exit code %d", out, errs, code)
	}
	if _, errs, _ := w.does("run", "--mode", "full", `[tool shell {"command":"echo alone"}]`); strings.Contains(errs, "●") {
		t.Errorf("a turn that ended no process: %q", errs)
	}
	if _, errs, _ := w.does("run", "--json", "--mode", "full", leaves); strings.Contains(errs, "●") {
		t.Errorf("with --json: %q", errs)
	}
	out, errs, code = w.does("receipt")
	for _, want := range []string{"end         done at ", "processes   2 processes ended, ", " terminated: ", "sleep 300\n", "sleep 301\n", "kept        ", "log         event "} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("no %q in %q %q, exit code %d", want, out, errs, code)
		}
	}
}
