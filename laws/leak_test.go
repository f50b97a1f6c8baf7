//go:build linux

package laws_test

import (
	"context"
	"flag"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
	"github.com/bellcord/bellcord/store/sqlite"
)

// CI runs 10,000.
var leaks = flag.Int("leaks", 60, "stops after which nothing may be left")

// Law 18 in real time, with real sockets and processes: after many stops the
// numbers of goroutines, descriptors, cgroups and files are unchanged.
func TestLaw18_ManyStops_LeakNothing(t *testing.T) {
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := proc.Open(dir+"/processes", proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	model := fakemodel.New()
	serving, url, err := model.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	provider := openai.New(openai.Config{BaseURL: url, Key: "x"})
	agent := &react.Agent{
		Model: func(string) (react.Model, error) {
			return react.Model{Model: provider, Name: "fake"}, nil
		},
		Tools: tool.Builtin(keeper, &tool.SessionResources{Dir: dir + "/outputs"}),
	}
	hub, err := hub.Open(t.Context(), store, agent, hub.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, close := range []func() error{
			func() error { return hub.Close(context.Background()) }, keeper.Close, store.Close, serving.Close,
		} {
			if err := close(); err != nil {
				t.Error(err)
			}
		}
		provider.Close()
	})
	scripts := []string{"[hang after 2]", `[tool shell {"command":"echo up; setsid sleep 5000 & sleep 5000"}]`}
	round := func(n int) {
		for i := range n {
			stopOnce(t, hub, dir, scripts[i%2])
		}
	}
	round(10) // allocates everything that is created once
	before := inventory(t, dir)
	round(*leaks)
	deadline := time.After(20 * time.Second)
	for tick := time.Tick(50 * time.Millisecond); ; {
		after := inventory(t, dir)
		if after.goroutines <= before.goroutines+4 && after.descriptors <= before.descriptors+4 && after.files <= before.files {
			t.Logf("%d stops: goroutines %d → %d, descriptors %d → %d, ledger and output files %d → %d", *leaks,
				before.goroutines, after.goroutines, before.descriptors, after.descriptors, before.files, after.files)
			return
		}
		select {
		case <-tick:
		case <-deadline:
			t.Fatalf("before %+v, after %+v", before, after)
		}
	}
}

// stopOnce starts a turn in a new session, stops it when it is running, and
// closes the session.
func stopOnce(t *testing.T, hub *hub.Hub, dir, script string) {
	t.Helper()
	s, err := hub.NewSession(t.Context(), bellcord.Session{Dir: dir, Mode: "full"})
	if err != nil {
		t.Fatal(err)
	}
	cursor, err := hub.Events(t.Context(), s.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	turn, err := hub.Prompt(s.ID, bellcord.Prompt{Text: script})
	if err != nil {
		t.Fatal(err)
	}
	for under := false; !under; {
		events, err := cursor.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			under = under || kind[bellcord.TextDelta](ev.Body) || kind[bellcord.ToolOutputDelta](ev.Body)
		}
	}
	hub.Stop(bellcord.StopTurn(turn.ID, by))
	<-turn.Settled()
	if r := turn.Receipt(); r.End != bellcord.EndStopped || len(r.Processes.Survivors) > 0 {
		t.Fatalf("%+v", r)
	}
	if err := hub.DeleteSession(t.Context(), s.ID, by); err != nil {
		t.Fatal(err)
	}
}

type stock struct{ goroutines, descriptors, files int }

func inventory(t *testing.T, dir string) stock {
	t.Helper()
	count := func(path string) int {
		entries, err := os.ReadDir(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(entries)
	}
	return stock{runtime.NumGoroutine(), count("/proc/self/fd"), count(dir+"/processes") + count(dir+"/outputs")}
}
