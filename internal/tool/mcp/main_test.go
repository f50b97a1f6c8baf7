package mcp_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/mcp"
)

const hostileEnv = "BELLCORD_MCP_HOSTILE"

// TestMain also serves as the hostile server, when the test binary starts
// itself as one.
func TestMain(m *testing.M) {
	if manner := os.Getenv(hostileEnv); manner != "" {
		hostile(manner)
		return
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for something that must happen; bound is
// the maximum duration of a stop. The machine is shared, so measured times are
// logged, and only compared with the bound if they are measured alone.
const (
	patience = time.Minute
	bound    = time.Second
)

var timing = flag.Bool("timing", false, "assert durations that are promises; for a machine that does nothing else")

// ends fails the test if do waits for something that does not happen.
func ends(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("it does not end: ", what)
	}
}

func hostileServer(t *testing.T, manner string) mcp.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Server{Name: "hostile", Command: []string{self}, Env: []string{hostileEnv + "=" + manner}}
}

// spawn starts a server like the command does, but without containment.
func spawn(s mcp.Server) (mcp.Process, error) {
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Dir, cmd.Env = s.Dir, append(os.Environ(), s.Env...)
	childIn, in, err := os.Pipe()
	if err != nil {
		return mcp.Process{}, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return mcp.Process{}, err
	}
	cmd.Stdin, cmd.Stdout = childIn, childOut
	err = cmd.Start()
	_, _ = childIn.Close(), childOut.Close()
	if err != nil {
		_, _ = in.Close(), out.Close()
		return mcp.Process{}, err
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = cmd.Wait()
	}()
	end := func() {
		_ = cmd.Process.Kill()
		<-gone
	}
	return mcp.Process{Stdin: in, Stdout: out, End: end, Done: gone}, nil
}

func open(t *testing.T, servers ...mcp.Server) *mcp.Set {
	t.Helper()
	set := mcp.Open(servers, spawn, mcp.Options{Version: "test"})
	t.Cleanup(set.Close)
	return set
}

// tools returns the tools of a set by name, and fails the test on any error.
func tools(t *testing.T, set *mcp.Set) map[string]tool.Tool {
	t.Helper()
	list, errs := set.Tools(within(t))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return byName(list)
}

func byName(list []tool.Tool) map[string]tool.Tool {
	named := map[string]tool.Tool{}
	for _, one := range list {
		named[one.Name] = one
	}
	return named
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func do(ctx context.Context, one tool.Tool, args string) tool.Result {
	return one.Run(ctx, tool.Call{Args: json.RawMessage(args), Output: func(string) {}})
}

// answers fails the test unless the call succeeds with the expected text.
func answers(t *testing.T, one tool.Tool, args, want string) {
	t.Helper()
	got := do(within(t), one, args)
	if got.Fate != bellcord.CallFinished || got.Failed || !strings.Contains(got.Text, want) {
		t.Fatalf("%s answered %+v, want %q", one.Name, got, want)
	}
}

// stopIn starts a call, stops it after n pieces of output, and returns its
// result and how long the stop took. A stop that waits for a server that never
// answers does not end.
func stopIn(t *testing.T, one tool.Tool, args string, n int) (tool.Result, time.Duration) {
	t.Helper()
	if one.Run == nil {
		t.Fatal("there is no such tool")
	}
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	running, ended := make(chan struct{}), make(chan tool.Result, 1)
	var once sync.Once
	go func() {
		seen := 0
		ended <- one.Run(ctx, tool.Call{Args: json.RawMessage(args), Output: func(string) {
			if seen++; seen >= n {
				once.Do(func() { close(running) })
			}
		}})
	}()
	select {
	case <-running:
	case r := <-ended:
		t.Fatalf("it ended before it was stopped: %+v", r)
	}
	start := time.Now()
	cancel()
	var r tool.Result
	ends(t, "the stopped call", func() { r = <-ended })
	took := time.Since(start)
	if *timing && took > bound {
		t.Errorf("the stop took %v", took)
	}
	return r, took
}

func wantFate(t *testing.T, r tool.Result, fate bellcord.CallOutcome) {
	t.Helper()
	if r.Fate != fate {
		t.Fatalf("the fate is %q, want %q: %s", r.Fate, fate, r.Text)
	}
}

// eventually waits until holds returns true.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			buf := make([]byte, 1<<20)
			t.Fatalf("not in time: %s\n%s", what, buf[:runtime.Stack(buf, true)])
		}
	}
}

func summary(took []time.Duration) string {
	slices.Sort(took)
	return fmt.Sprintf("%d stops: median %v, longest %v", len(took), took[len(took)/2], took[len(took)-1])
}
