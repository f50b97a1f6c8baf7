package mcp_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/mcp"
)

// Not parallel: no other test may start goroutines at the same time.
func TestLaw18_Close_LeavesNoGoroutines(t *testing.T) {
	r := serve(t, nil)
	blind := hostileServer(t, "blind")
	blind.Name = "blind"
	base := runtime.NumGoroutine()
	for range 3 {
		// The blind server never starts, so its limit is short. The others get the
		// default.
		never := mcp.Open([]mcp.Server{blind}, spawn, mcp.Options{Start: 500 * time.Millisecond})
		if list, errs := never.Tools(within(t)); len(list) > 0 || len(errs) != 1 {
			t.Fatalf("a server that answers nothing has %d tools: %v", len(list), errs)
		}
		set := mcp.Open([]mcp.Server{hostileServer(t, "yes"), {Name: "far", URL: r.URL}}, spawn, mcp.Options{})
		all := tools(t, set)
		stopIn(t, all["mcp_hostile_hang"], `{}`, 1)
		stopIn(t, all["mcp_hostile_flood"], `{}`, 10)
		stopIn(t, all["mcp_far_hang"], `{}`, 1)
		running := make(chan tool.Result, 1)
		begun := make(chan struct{})
		go func() {
			running <- all["mcp_far_hang"].Run(within(t), tool.Call{Args: []byte(`{}`), Output: func(string) { close(begun) }})
		}()
		<-begun
		start := time.Now()
		set.Close()
		never.Close()
		t.Logf("closing took %v", time.Since(start))
		wantFate(t, <-running, bellcord.CallUnknown)
	}
	r.CloseClientConnections()
	eventually(t, "all goroutines are gone", func() bool { return runtime.NumGoroutine() <= base })
}
