package mcp_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/mcp"
)

func TestCall_Stopped_ReturnsSoonCancelsAndServerAnswersNextCall(t *testing.T) {
	t.Parallel()
	all := tools(t, open(t, hostileServer(t, "yes")))
	var took []time.Duration
	for range 20 {
		r, d := stopIn(t, all["mcp_hostile_hang"], `{}`, 1)
		wantFate(t, r, bellcord.CallStopped)
		if want := history.ResultText(bellcord.CallStopped, "1 half done"); r.Text != want {
			t.Fatalf("the text is %q, want %q", r.Text, want)
		}
		took = append(took, d)
		answers(t, all["mcp_hostile_echo"], `{"n":1}`, `echo{"n":1}`)
	}
	t.Log(summary(took))
	seen := do(within(t), all["mcp_hostile_seen"], `{}`).Text
	if n := strings.Count(seen, `"notifications/cancelled"`); n < 20 {
		t.Fatalf("the server was told of %d stops out of 20:\n%s", n, seen)
	}
}

func TestCall_LateAnswer_IsDropped(t *testing.T) {
	t.Parallel()
	all := tools(t, open(t, hostileServer(t, "yes")))
	for range 20 {
		r, _ := stopIn(t, all["mcp_hostile_late"], `{}`, 1)
		wantFate(t, r, bellcord.CallStopped)
		next := do(within(t), all["mcp_hostile_echo"], `{}`)
		if next.Text != "echo{}" || next.Fate != bellcord.CallFinished {
			t.Fatalf("the next call answered %+v", next)
		}
	}
}

func TestCall_ServerDies_OutcomeIsUnknownAndServerRestarts(t *testing.T) {
	t.Parallel()
	const backOff = time.Second
	began := time.Now() // before the first start
	all := tools(t, open(t, hostileServer(t, "yes")))
	for restart := range 2 {
		r := do(within(t), all["mcp_hostile_die"], `{}`)
		wantFate(t, r, bellcord.CallUnknown)
		if !r.Failed || !strings.Contains(r.Text, "1 dying") || !strings.Contains(r.Text, "outcome unknown") {
			t.Fatalf("it came to %+v", r)
		}
		answers(t, all["mcp_hostile_echo"], `{}`, "echo{}")
		least := time.Duration(restart+1) * backOff
		if took := time.Since(began); took < least {
			t.Fatalf("start %d came %v after the first, want at least %v", restart+2, took, least)
		}
	}
}

func TestStop_HostileServer_IsNotDelayed(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"flood": 3000, "ask": 500, "blind": 1, "endless": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := tools(t, open(t, hostileServer(t, "yes")))
			r, took := stopIn(t, all["mcp_hostile_"+name], `{}`, n)
			wantFate(t, r, bellcord.CallStopped)
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			t.Logf("the stop took %v; the heap has %d MiB", took, mem.HeapInuse>>20)
			if mem.HeapInuse > 512<<20 {
				t.Errorf("the heap has grown to %d MiB", mem.HeapInuse>>20)
			}
		})
	}
}

func TestStop_ServerDoesNotRead_IsNotDelayed(t *testing.T) {
	t.Parallel()
	all := tools(t, open(t, hostileServer(t, "yes")))
	_, _ = stopIn(t, all["mcp_hostile_blind"], `{}`, 1)
	large := `{"data":"` + strings.Repeat("x", 1<<20) + `"}` // more than a pipe can buffer
	var took []time.Duration
	for i := range 5 {
		after, want := 50*time.Millisecond, bellcord.CallNotStarted // it is queued behind the first
		if i == 0 {
			after, want = 5*time.Second, bellcord.CallStopped // by then its first bytes are in the pipe
		}
		ctx, cancel := context.WithTimeout(context.Background(), after)
		start := time.Now()
		var r tool.Result
		ends(t, "a call of a server that does not read", func() { r = do(ctx, all["mcp_hostile_echo"], large) })
		took = append(took, time.Since(start)-after)
		cancel()
		wantFate(t, r, want)
		if *timing && took[i] > bound {
			t.Errorf("the stop took %v", took[i])
		}
	}
	t.Log(summary(took))
}

func TestCall_AnswerTooLong_FailsCallAndKeepsServer(t *testing.T) {
	t.Parallel()
	all := tools(t, open(t, hostileServer(t, "yes")))
	r := do(within(t), all["mcp_hostile_giant"], `{}`)
	if r.Fate != bellcord.CallFinished || !r.Failed || !strings.Contains(r.Text, "omitted") {
		t.Fatalf("it came to %.200q", r.Text)
	}
	r = do(within(t), all["mcp_hostile_huge"], `{}`)
	if r.Fate != bellcord.CallFinished || r.Failed || len(r.Text) > 80<<10 || !strings.Contains(r.Text, "bytes omitted") {
		t.Fatalf("it came to %d bytes: %.200q", len(r.Text), r.Text)
	}
	seen := do(within(t), all["mcp_hostile_seen"], `{}`).Text
	if strings.Count(seen, `"initialize"`) != 1 {
		t.Fatal("the server was started again")
	}
}

func TestTools_ServerDoesNotStart_ReturnsErrorAndOtherTools(t *testing.T) {
	t.Parallel()
	dead, mute, blind, none := hostileServer(t, "dead"), hostileServer(t, "mute"), hostileServer(t, "blind"), mcp.Server{Name: "none"}
	dead.Name, mute.Name, blind.Name = "dead", "mute", "blind"
	missing := mcp.Server{Name: "missing", Command: []string{"/does/not/exist"}}
	set := mcp.Open([]mcp.Server{dead, mute, hostileServer(t, "yes"), blind, none, missing}, spawn, mcp.Options{Start: time.Second})
	t.Cleanup(set.Close)
	list, errs := set.Tools(within(t))
	if len(list) != 11 {
		t.Errorf("%d tools, want the 11 of the one that started", len(list))
	}
	var text []string
	for _, err := range errs {
		text = append(text, err.Error())
	}
	t.Log(strings.Join(text, "\n"))
	if len(errs) != 5 || !strings.Contains(text[1], "mute: did not") || !strings.Contains(text[0], "MCP server dead: ") {
		t.Errorf("the errors are %q", text)
	}
}

func TestTools_StopWhileServerStarts_ReturnsSoon(t *testing.T) {
	t.Parallel()
	mute := hostileServer(t, "mute")
	mute.Name = "mute"
	// The server never starts, and nobody gives up on it.
	set := mcp.Open([]mcp.Server{mute, hostileServer(t, "yes")}, spawn, mcp.Options{Start: time.Hour})
	t.Cleanup(set.Close)
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("stop")) })
	var errs []error
	start := time.Now()
	ends(t, "Tools", func() { _, errs = set.Tools(ctx) })
	took := time.Since(start) - 20*time.Millisecond
	t.Logf("the stop took %v: %v", took, errs)
	if *timing && took > bound {
		t.Errorf("the stop took %v", took)
	}
	if len(errs) == 0 {
		t.Error("no word of the server that was not ready")
	}
	start = time.Now()
	ends(t, "Close", set.Close)
	if took := time.Since(start); *timing && took > 3*time.Second {
		t.Errorf("closing took %v", took)
	}
	if _, errs := set.Tools(within(t)); len(errs) != 2 {
		t.Errorf("after Close: %v", errs)
	}
}
