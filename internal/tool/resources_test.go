//go:build unix

package tool_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

func TestResources_BackgroundCommand_IsListedAndEndsWithSession(t *testing.T) {
	t.Parallel()
	shell, resources := ownShell(t)
	r := shell.Run(t.Context(), tool.Call{
		Session: "one", Dir: t.TempDir(), Output: func(string) {},
		Args: []byte(`{"command":"echo up; sleep 0.1; echo err >&2; exec sleep 1000","background":true}`),
	})
	if r.Failed || r.Fate != bellcord.CallFinished || !strings.Contains(r.Text, "in the background, pid ") {
		t.Fatalf("%+v", r)
	}
	_, file, _ := strings.Cut(strings.TrimSuffix(r.Text, "]"), "output in ")
	for tick := time.Tick(10 * time.Millisecond); ; <-tick { // bounded by the test's timeout
		if said, err := os.ReadFile(file); err == nil && string(said) == "up\nerr\n" {
			break
		}
	}
	listed := resources.List("one")
	if len(listed) != 1 || listed[0].How != "running" || len(resources.List("two")) != 0 {
		t.Errorf("listed %+v", listed)
	}
	resources.End("one")
	if len(resources.List("one")) != 0 || alive(listed[0].PID) {
		t.Errorf("it outlived its session: %+v", resources.List("one"))
	}
	if left, err := os.ReadDir(resources.Dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestShell_TimeoutExpires_EndsCommand(t *testing.T) {
	t.Parallel()
	r := aShell(t).Run(context.Background(), tool.Call{
		Dir: t.TempDir(), Output: func(string) {}, Args: []byte(`{"command":"echo half; sleep 1000","timeout":1}`),
	})
	if !r.Failed || r.Fate != bellcord.CallFinished || !strings.Contains(r.Text, "half\n") || !strings.Contains(r.Text, "[ended after 1s: timeout;") {
		t.Errorf("%+v", r)
	}
}

// Law 15: processes that a command leaves behind end with it, even outside its
// process group.
func TestLaw15_ProcessesLeftByCommand_EndWithCall(t *testing.T) {
	t.Parallel()
	r := aShell(t).Run(context.Background(), tool.Call{
		Dir: t.TempDir(), Output: func(string) {}, Args: []byte(`{"command":"setsid sleep 98765.1 >/dev/null 2>&1 & nohup sleep 98765.2 >/dev/null 2>&1 & sleep 0.2; echo done"}`),
	})
	if r.Failed || !strings.HasPrefix(r.Text, "done\n\n[2 processes that the command left running were ended;") || r.Processes == nil || len(r.Processes.Ended) != 2 || len(r.Processes.Survivors) != 0 {
		t.Fatalf("%+v %+v", r, r.Processes)
	}
	for _, p := range r.Processes.Ended {
		if alive(p.PID) {
			t.Errorf("%s is alive", p.Name)
		}
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }
