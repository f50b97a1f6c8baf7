//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// CI runs 100.
var kills = flag.Int("kills", 5, "how often a process is killed")

// Laws 23, 28 and 33: everything a client was shown is there after kill -9, the turn has an end,
// and the session continues.
func TestLaw33_KilledProcess_LosesNothingShown(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newWorld(t)
	p := w.starts("[say the session]")
	session := p.until("text_delta").Session
	p.drain()
	characters := 0
	for n := range *kills {
		p := w.starts("--session", string(session), "[slow 10000 200us]")
		for range 1 + rand.IntN(60) {
			p.until("text_delta")
		}
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.drain()
		text, ends := w.record(session)
		if !strings.Contains(text, p.shown.String()) {
			t.Fatalf("kill %d: shown %q, on record %q", n, p.shown.String(), text)
		}
		if len(ends) != 2*n+2 || ends[2*n+1].End != bellcord.EndLost || ends[2*n+1].Kept.TextBytes < int64(p.shown.Len()) {
			t.Fatalf("kill %d: ends %+v", n, ends)
		}
		characters += p.shown.Len()
		if _, errs, code := w.does("run", "--session", string(session), "and now?"); code != 0 {
			t.Fatalf("kill %d: the next prompt: %s", n, errs)
		}
	}
	if r := w.model.Rejections(); len(r) > 0 {
		t.Errorf("rejected: %v", r)
	}
	t.Logf("%d kills, %d characters shown, 0 lost, every turn ended as lost, every next prompt accepted", *kills, characters)
}

// Law 32: a stop from another process on the same data directory.
func TestLaw32_StopFromOtherProcess_SettlesTurn(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"[slow 100000 1ms]", "[hang]", "[hang after 1]"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			turn := bellcord.NewTurnID()
			p := w.starts("--turn", string(turn), script)
			p.until("step_started")
			out, errs, code := w.does("stop", string(turn), "--json", "--reason", "enough")
			p.drain()
			var answer bellcord.StopAnswer
			if err := json.Unmarshal([]byte(out), &answer); err != nil {
				t.Fatalf("%v: %q %q %d", err, out, errs, code)
			}
			r := answer.Receipt
			if answer.State != bellcord.StopStateSettled || r.End != bellcord.EndStopped || r.Cause.Source != "bellcord stop" || r.Cause.Reason != "enough" {
				t.Errorf("answer %s", out)
			}
			took := r.Times.Settled.Sub(r.Times.StopRequested)
			if *timing && took > time.Second {
				t.Errorf("took %v", took)
			}
			if r.AgentAbandoned || len(w.model.Requests()) != 1 || !w.model.Requests()[0].Finished.IsZero() {
				t.Errorf("abandoned %v, requests %+v", r.AgentAbandoned, w.model.Requests())
			}
			if p.end == nil || p.end.End != bellcord.EndStopped || p.ProcessState.ExitCode() != exitStopped {
				t.Errorf("the owner's end: %+v, exit code %d", p.end, p.ProcessState.ExitCode())
			}
			t.Logf("from asked in one process to settled in the other: %v", took)
		})
	}
}

func TestLaw02_StopFromOtherProcess_AppliesToLaterTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	turn := bellcord.NewTurnID()
	if out, _, code := w.does("stop", string(turn)); !strings.Contains(out, "no such turn yet") || code != 0 {
		t.Errorf("%q, exit code %d", out, code)
	}
	if _, _, code := w.does("run", "--turn", string(turn), "hello"); code != exitStopped || len(w.model.Requests()) != 0 {
		t.Errorf("exit code %d after %d model requests", code, len(w.model.Requests()))
	}
	if out, _, code := w.does("stop", string(turn)); !strings.Contains(out, "already ended: ■ stopped") || code != 0 {
		t.Errorf("%q, exit code %d", out, code)
	}
}

// Laws 33 and 36: processes share a session without overlap, and a starting process never marks the
// turn of a live process as lost.
func TestLaw36_ProcessesOnOneDirectory_NeverOverlapOrMarkLiveTurnsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.starts("[say the session]")
	session := string(p.until("text_delta").Session)
	p.drain()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, errs, code := w.does("run", "--session", session, "[slow 20 5ms]"); code != 0 {
				t.Errorf("exit code %d: %s", code, errs)
			}
		})
		all.Go(func() { w.does("sessions") }) // a start searches for dead processes
	}
	all.Wait()
	_, ends := w.record(bellcord.SessionID(session))
	for _, end := range ends {
		if end.End != bellcord.EndDone {
			t.Errorf("ended %s", end.End)
		}
	}
	requests := w.model.Requests()
	for i, r := range requests[1:] {
		if before := requests[i]; r.At.Before(before.Finished) {
			t.Errorf("request %d came at %v, before %d had finished at %v", r.N, r.At, before.N, before.Finished)
		}
	}
	if len(ends) != 5 || len(w.model.Rejections()) > 0 {
		t.Errorf("%d ends, rejected %v", len(ends), w.model.Rejections())
	}
}

// Laws 15 and 33: processes that a tool started end at the latest when any other Bellcord starts
// after theirs was killed.
func TestLaw15_StartAfterKill_EndsLeftoverProcesses(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newWorld(t)
	left := 0
	for n := range *kills {
		token := strconv.FormatInt(70_000_000+rand.Int64N(1_000_000), 10)
		command := "echo up; setsid sleep " + token + " & nohup sleep " + token + " >/dev/null 2>&1 & (trap '' TERM; sleep " + token + ") & sleep " + token
		p := w.starts("--mode", "full", `[tool shell {"command":`+strconv.Quote(command)+`}]`)
		p.until("tool_output_delta")
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.drain()
		left += len(sleepers(t, token))
		if out, errs, code := w.does("sessions"); code != 0 {
			t.Fatalf("%s %s", out, errs)
		}
		if alive := sleepers(t, token); len(alive) > 0 {
			t.Fatalf("kill %d: %v outlived the next start", n, alive)
		}
	}
	t.Logf("%d kills left %d processes alive; after the next start: 0", *kills, left)
}

// sleepers finds processes by their arguments, without using Bellcord's code.
func sleepers(t *testing.T, token string) []string {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range lines {
		text, err := os.ReadFile(path)
		if args := strings.Split(string(text), "\x00"); err == nil && args[0] == "sleep" && slices.Contains(args, token) {
			found = append(found, path)
		}
	}
	return found
}
