package telemetry_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/telemetry"
	"github.com/bellcord/bellcord/store"
)

// commits returns a commit of the ends of turns.
func commits(receipts ...bellcord.Receipt) store.Commit {
	c := store.Commit{Ops: len(receipts)}
	for _, r := range receipts {
		c.Events = append(c.Events, bellcord.Event{Session: r.Session, Turn: r.Turn, Body: bellcord.TurnEnded{Receipt: r}})
	}
	return c
}

func stoppedTurn(turn bellcord.TurnID) bellcord.Receipt {
	return bellcord.Receipt{
		Turn: turn, Session: "s", End: bellcord.EndStopped,
		Cause: &bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Source: "page", Reason: "wrong branch"},
	}
}

// lines returns the fields of each line of a log.
func lines(t *testing.T, out []byte) (all []map[string]any) {
	t.Helper()
	for line := range bytes.Lines(out) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatal(err)
		}
		all = append(all, fields)
	}
	return all
}

func TestEndLog_StoppedTurn_HasOneLineWithCauseSourceAndReason(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := telemetry.NewEndLog(slog.New(slog.NewJSONHandler(&out, nil)))
	completed := stoppedTurn("c")
	completed.End = bellcord.EndDone // the stop came too late
	l.Watch(commits(stoppedTurn("a"), completed))
	l.Watch(commits(bellcord.Receipt{Turn: "b", Session: "s", End: bellcord.EndStopped}))
	l.Close()
	l.Run()
	all := lines(t, out.Bytes())
	if len(all) != 3 {
		t.Fatalf("%d lines: %s", len(all), out.String())
	}
	for name, want := range map[string]string{"msg": "stopped", "level": "INFO", "session": "s", "turn": "a", "by": "anna", "source": "page", "cause": "person", "reason": "wrong branch"} {
		if all[0][name] != want {
			t.Errorf("%s is %v, want %s", name, all[0][name], want)
		}
	}
	if all[1]["turn"] != "c" || all[1]["msg"] != "done" || all[2]["turn"] != "b" {
		t.Errorf("%v", all[1:])
	}
}

// stuck is a writer that blocks until free is closed.
type stuck struct {
	once    sync.Once
	reached chan struct{}
	free    chan struct{}
	out     bytes.Buffer
}

func (s *stuck) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.reached) })
	<-s.free
	return s.out.Write(p)
}

func TestEndLog_WriterBlocks_DropsAndCountsLinesWithoutBlockingWatch(t *testing.T) {
	t.Parallel()
	pipe := &stuck{reached: make(chan struct{}), free: make(chan struct{})}
	l := telemetry.NewEndLog(slog.New(slog.NewJSONHandler(pipe, nil)))
	ran := make(chan struct{})
	go func() { defer close(ran); l.Run() }()
	const turns = 5000
	l.Watch(commits(stoppedTurn("first")))
	<-pipe.reached
	for range turns - 1 {
		l.Watch(commits(stoppedTurn("t"))) // would never return if it waited
	}
	close(pipe.free)
	l.Close()
	<-ran
	logged, missed := 0, 0.0
	for _, line := range lines(t, pipe.out.Bytes()) {
		if line["msg"] == "stopped" {
			logged++
		} else if strings.Contains(line["msg"].(string), "log of ended turns overflowed") {
			missed += line["turns"].(float64)
		}
	}
	if logged+int(missed) != turns || missed == 0 || logged == 0 {
		t.Errorf("%d told, %v counted, of %d", logged, missed, turns)
	}
}

func TestEndLog_FailedTurn_HasOneErrorLineWithReason(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := telemetry.NewEndLog(slog.New(slog.NewJSONHandler(&out, nil)))
	l.Watch(commits(
		bellcord.Receipt{Turn: "f", Session: "s", End: bellcord.EndFailed, Error: "the key has expired"},
		bellcord.Receipt{Turn: "l", Session: "s", End: bellcord.EndLost},
		bellcord.Receipt{Turn: "d", Session: "s", End: bellcord.EndDone, LogHead: &bellcord.LogHead{Seq: 7, Hash: bellcord.Hash{0xab}}},
	))
	l.Close()
	l.Run()
	all := lines(t, out.Bytes())
	if len(all) != 3 {
		t.Fatalf("%d lines: %s", len(all), out.String())
	}
	for name, want := range map[string]string{"msg": "turn failed", "level": "ERROR", "session": "s", "turn": "f", "err": "the key has expired"} {
		if all[0][name] != want {
			t.Errorf("%s is %v, want %s", name, all[0][name], want)
		}
	}
	if all[1]["turn"] != "l" || all[1]["level"] != "WARN" {
		t.Errorf("of the lost turn: %v", all[1])
	}
	if hash, _ := all[2]["log_hash"].(string); all[2]["msg"] != "done" || all[2]["log_seq"] != 7.0 || !strings.HasPrefix(hash, "ab00") {
		t.Errorf("of the turn that was done: %v", all[2])
	}
}
