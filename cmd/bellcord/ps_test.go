//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

func TestPs_WaitingTurns_AreListedWithReason(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 15, 4, 5, 0, time.Local)
	of := func(owner, text string, state api.TurnState) listed {
		return listed{api.Turn{ID: "t", Session: "s", State: state, Text: text, Accepted: now.Add(-time.Minute)}, owner}
	}
	waiting := of("anna", "look\x1b[2J around\nand tell", api.Waiting)
	waiting.Questions = []bellcord.Question{{Text: "run make\n  all?"}}
	stopping := of("", "x", api.Stopping)
	stopping.StopRequest = &bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Source: "web"}
	held := of("", "x", api.Queued)
	held.Held, held.Accepted = true, now.Add(-48*time.Hour)
	const head = "TURN  SESSION  STATE"
	tests := []struct {
		name   string
		turns  []listed
		hidden int
		want   string
	}{
		{"nothing", nil, 0, "Nothing is running.\n"},
		{"nothing of yours", nil, 2, "Nothing is running. 2 more of other owners (--all shows them)\n"},
		{"one that runs", []listed{of("", "x", api.Running)}, 1, head + "    SINCE     OWNER  TITLE\nt     s        running  15:03:05  –      x\n1 more of other owners (--all shows them)\n"},
		{"one that waits for a person", []listed{waiting}, 0, head + "    SINCE     OWNER  TITLE\nt     s        waiting  15:03:05  anna   look␛[2J around\n  waiting for your answer: run make all?\n"},
		{"one that stops", []listed{stopping}, 0, head + "     SINCE     OWNER  TITLE\nt     s        stopping  15:03:05  –      x\n  stop requested by anna, web\n"},
		{"one that is held since long ago", []listed{held}, 0, head + "  SINCE             OWNER  TITLE\nt     s        held   2025-12-31 15:04  –      x\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := listTurns(&out, test.turns, test.hidden, now); err != nil || out.String() != test.want {
				t.Errorf("%v\n%swant\n%s", err, out.String(), test.want)
			}
		})
	}
}

func TestPs_ServerOrOtherProcess_ListsRunningTurns(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"in another process", "at a server"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if out, errs, code := w.does("ps"); out != "Nothing is running.\n" || code != 0 {
				t.Errorf("%q %q, exit code %d", out, errs, code)
			}
			var args []string
			if where == "at a server" {
				args = []string{"--server", w.hostsTurns()}
			}
			p := w.starts(append(args, "[slow 100000 1ms]")...)
			delta := p.until("text_delta")
			for _, from := range [][]string{nil, args} { // through the socket, and by URL
				out, errs, code := w.does(append([]string{"ps", "--json"}, from...)...)
				var got struct{ Turns []listed }
				if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || len(got.Turns) != 1 {
					t.Fatalf("%v: %q %q, exit code %d", err, out, errs, code)
				}
				if one := got.Turns[0]; one.ID != delta.Turn || one.Session != delta.Session || one.State != api.Running || one.Text != "[slow 100000 1ms]" {
					t.Errorf("%+v", one)
				}
			}
			w.does("stop", "--all")
			p.drain()
		})
	}
}

func TestPs_TurnsOfOtherOwners_AreShownWithAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url := w.hostsTurns()
	token, errs, code := w.does("token", "create", "--owner", "anna", "--scope", "read,prompt,stop")
	if code != 0 {
		t.Fatal(errs)
	}
	path := filepath.Join(w.dir, "annas")
	if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	p := w.starts("--server", url, "--token-file", path, "[slow 100000 1ms]")
	p.until("text_delta")
	if out, _, _ := w.does("ps"); !strings.Contains(out, "anna") { // the local user sees all turns
		t.Errorf("%q", out)
	}
	if out, _, _ := w.does("ps", "--server", url); out != "Nothing is running. 1 more of other owners (--all shows them)\n" {
		t.Errorf("%q", out)
	}
	if out, _, _ := w.does("ps", "--server", url, "--all"); !strings.Contains(out, "anna") {
		t.Errorf("%q", out)
	}
	w.does("stop", "--all")
	if p.drain(); p.end == nil || p.end.End != bellcord.EndStopped {
		t.Errorf("end %+v", p.end)
	}
}
