package main

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

// hostile is a command whose processes ignore SIGTERM, leave its session, or both.
func hostile(token string) string {
	command := "trap '' TERM; (setsid sleep " + token + " &); nohup sleep " + token + " >/dev/null 2>&1 & echo up; sleep " + token + "; sleep " + token
	return `[tool shell {"command":` + strconv.Quote(command) + `}]`
}

// Laws 15 and 37: after kill -9 of a process, the receipt of its turn lists the
// processes that were left, which an independent scan of /proc finds before and
// does not find afterwards.
func TestLaw37_KilledRun_ReceiptEqualsTheScan(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"sandbox", "no sandbox"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if way == "no sandbox" {
				w = w.withoutSandbox()
			}
			left := 0
			for range *kills {
				token := strconv.FormatInt(60_000_000+rand.Int64N(1_000_000), 10)
				turn := bellcord.NewTurnID()
				p := w.starts("--turn", string(turn), "--mode", "full", hostile(token))
				p.until("tool_output_delta")
				awaitAlive(t, token, 3)
				if err := p.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				p.drain()
				left += w.receiptEqualsTheScan(turn, sleepers(t, token), token)
			}
			t.Logf("%d kills left %d processes; each is on its receipt", *kills, left)
		})
	}
}

// awaitAlive waits until a number of sleepers is alive.
func awaitAlive(t *testing.T, token string, n int) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for bound := time.Now().Add(30 * time.Second); len(sleepers(t, token)) != n; <-tick.C {
		if time.Now().After(bound) {
			t.Fatalf("%d sleepers, want %d", len(sleepers(t, token)), n)
		}
	}
}

// receiptEqualsTheScan compares the receipt of a lost turn with the sleepers that
// were alive, and returns their number.
func (w *world) receiptEqualsTheScan(turn bellcord.TurnID, alive []string, token string) int {
	w.t.Helper()
	if out, errs, _ := w.does("ps"); len(alive) > 0 && !strings.Contains(errs, "processes of lost turns: ") {
		w.t.Errorf("ps prints %q %q", out, errs)
	}
	out, errs, code := w.does("receipt", string(turn), "--json")
	var r bellcord.Receipt
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		w.t.Fatalf("%v: %q %q", err, out, errs)
	}
	var listed, want []string
	for _, p := range r.Processes.Ended {
		if strings.HasPrefix(p.Name, "sleep ") {
			listed = append(listed, strconv.Itoa(p.PID))
		}
	}
	for _, path := range alive {
		want = append(want, strings.Split(path, "/")[2])
	}
	slices.Sort(listed)
	slices.Sort(want)
	if r.End != bellcord.EndLost || r.Processes.Unknown != "" || r.Processes.Proof == "" || !slices.Equal(listed, want) {
		w.t.Errorf("scan %v, receipt %s %+v", want, r.End, r.Processes)
	}
	if left := sleepers(w.t, token); len(left) > 0 {
		w.t.Errorf("%v live after the receipt", left)
	}
	if text, _, _ := w.does("receipt", string(turn)); len(want) > 0 && strings.Contains(text, "none had to be ended") {
		w.t.Errorf("the receipt says %q", text)
	}
	return len(want)
}
