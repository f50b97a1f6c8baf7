//go:build unix

package probe_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// fakePi implements the part of pi's RPC protocol that the probe uses. It needs
// no model: the markers in a prompt select what it does. Unlike the real pi, it
// loses an early abort only as a defect.
type fakePi struct {
	defect string
	mu     sync.Mutex
	run    *piRun
	queued int
}

type piRun struct {
	ctx     context.Context
	cancel  context.CancelFunc
	started atomic.Bool
	done    chan struct{}
}

type piCommand struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Message string `json:"message"`
}

func serveFakePi() {
	f := &fakePi{defect: os.Getenv("PROBE_TEST_DEFECT")}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var c piCommand
		if json.Unmarshal(lines.Bytes(), &c) == nil {
			f.handle(c)
		}
	}
	f.abort()
	if f.defect == "survives-eof" {
		<-time.After(time.Hour)
	}
}

func (f *fakePi) send(v map[string]any) {
	line, _ := json.Marshal(v)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = os.Stdout.Write(append(line, '\n'))
}

func (f *fakePi) respond(c piCommand, data any) {
	f.send(map[string]any{"type": "response", "id": c.ID, "command": c.Type, "success": true, "data": data})
}

func (f *fakePi) handle(c piCommand) {
	f.mu.Lock()
	streaming, queued := f.run != nil, f.queued
	f.mu.Unlock()
	switch c.Type {
	case "get_state":
		f.respond(c, map[string]any{"isStreaming": streaming, "pendingMessageCount": queued})
	case "follow_up":
		f.mu.Lock()
		f.queued++
		f.mu.Unlock()
		f.respond(c, nil)
	case "prompt":
		r := &piRun{done: make(chan struct{})}
		r.ctx, r.cancel = context.WithCancel(context.Background())
		f.respond(c, nil)
		f.mu.Lock()
		f.run = r
		f.mu.Unlock()
		go f.perform(r, c.Message)
	case "abort":
		if r := f.current(); r != nil && f.defect == "loses-early-abort" && !r.started.Load() {
			f.respond(c, nil)
			return
		}
		go func() {
			f.abort()
			if f.defect == "slow-stop" {
				<-time.After(5200 * time.Millisecond)
			}
			f.respond(c, nil)
		}()
	}
}

func (f *fakePi) current() *piRun {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.run
}

func (f *fakePi) abort() {
	if r := f.current(); r != nil {
		r.cancel()
		<-r.done
	}
}

func (f *fakePi) perform(r *piRun, text string) {
	defer close(r.done)
	if f.defect == "loses-early-abort" {
		<-time.After(20 * time.Millisecond)
	}
	r.started.Store(true)
	f.send(map[string]any{"type": "agent_start"})
	reason := "stop"
	switch {
	case strings.Contains(text, "[slow"):
		for i := 0; i < 500 && r.ctx.Err() == nil; i++ {
			f.send(map[string]any{"type": "message_update", "assistantMessageEvent": map[string]any{"type": "text_delta", "delta": "word "}})
			wait(r.ctx, 5*time.Millisecond)
		}
	case strings.Contains(text, "[status"):
		f.send(map[string]any{"type": "auto_retry_start", "delayMs": 300})
		wait(r.ctx, 300*time.Millisecond)
		if f.defect == "comes-back" {
			go f.revive()
		}
	case strings.Contains(text, "[tool"):
		f.shell(r, text)
	}
	if r.ctx.Err() != nil {
		reason = "aborted"
	}
	f.mu.Lock()
	f.run = nil
	f.mu.Unlock()
	f.send(map[string]any{"type": "message_end", "message": map[string]any{"role": "assistant", "stopReason": reason}})
	f.send(map[string]any{"type": "agent_end"})
	if f.defect == "ends-twice" && reason == "aborted" {
		f.send(map[string]any{"type": "agent_end"})
	}
}

// revive is a retry that was not cancelled.
func (f *fakePi) revive() {
	<-time.After(50 * time.Millisecond)
	f.send(map[string]any{"type": "agent_start"})
}

func (f *fakePi) shell(r *piRun, text string) {
	_, args, _ := strings.Cut(text, "[tool shell ")
	var a struct {
		Command string `json:"command"`
	}
	_ = json.NewDecoder(strings.NewReader(args)).Decode(&a)
	f.send(map[string]any{"type": "tool_execution_start", "toolCallId": "c1"})
	cmd := exec.Command("sh", "-c", a.Command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if cmd.Start() != nil {
		return
	}
	began := time.Now()
	<-r.ctx.Done()
	old := time.Since(began) > 300*time.Millisecond
	if f.defect != "leaks" && (f.defect != "leaks-old-command" || !old) {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		for syscall.Kill(-cmd.Process.Pid, 0) == nil {
			<-time.After(time.Millisecond)
		}
	}
	f.send(map[string]any{"type": "tool_execution_end", "toolCallId": "c1"})
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
