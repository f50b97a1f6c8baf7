//go:build unix

package probe_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// run waits for the previous turn, works, and sends the response.
func (f *faulty) run(t *faultyTurn) {
	<-t.before
	defer close(t.done)
	where := "before"
	if t.ctx.Err() == nil {
		where = f.work(t)
	}
	f.mu.Lock()
	delete(t.session.turns, t)
	f.mu.Unlock()
	f.conclude(t, where)
}

func (f *faulty) conclude(t *faultyTurn, where string) {
	reason := "end_turn"
	if t.ctx.Err() != nil {
		reason = "cancelled"
	}
	cut := reason == "cancelled" && where == "text"
	if f.defect == "slow-stop" && cut {
		<-time.After(5200 * time.Millisecond)
	}
	switch {
	case f.defect == "hangs-queued" && where == "before":
		return
	case f.defect == "end-turn-after-cancel" && cut:
		reason = "end_turn"
	case f.defect == "error-instead-of-cancelled" && cut:
		f.send(map[string]any{"id": json.RawMessage(t.id), "error": map[string]any{"code": -32603, "message": "context canceled"}})
		return
	}
	f.reply(json.RawMessage(t.id), map[string]any{"stopReason": reason})
	if f.defect == "double-answer" && cut {
		f.reply(json.RawMessage(t.id), map[string]any{"stopReason": reason})
	}
	if strings.HasPrefix(f.defect, "goes-on") && strings.Contains(t.text, "[then [say") {
		f.turns.Go(func() { f.goOn(t) })
	}
	f.update(t.session, map[string]any{"sessionUpdate": "session_info_update", "title": "allowed at any time"})
	if f.defect == "late-update" && cut {
		f.chunk(t.session, "one more thing")
	}
}

// goOn works without a prompt until a cancel, or until it ends by itself.
func (f *faulty) goOn(t *faultyTurn) {
	s := t.session
	s.quiet.Store(false)
	if f.defect == "goes-on-in-process" {
		_, command, _ := strings.Cut(t.text, "mkdir probe-")
		token, _, _ := strings.Cut(command, " ")
		_ = exec.Command("sleep", token).Start()
	}
	for range 300 {
		f.chunk(s, "and another thing")
		<-time.After(20 * time.Millisecond)
		if s.quiet.Load() && f.defect != "goes-on" {
			return
		}
	}
}

// work is the agent's loop. It returns what the turn was doing when it ended.
func (f *faulty) work(t *faultyTurn) string {
	s := t.session
	s.history = append(s.history, map[string]any{"role": "user", "content": t.text})
	for {
		text, calls := f.streamModel(t)
		if t.ctx.Err() != nil {
			if text != "" && f.defect != "forgets-partial" {
				s.history = append(s.history, map[string]any{"role": "assistant", "content": text})
			}
			return "text"
		}
		if len(calls) == 0 {
			s.history = append(s.history, map[string]any{"role": "assistant", "content": text})
			return "end"
		}
		s.history = append(s.history, map[string]any{"role": "assistant", "tool_calls": calls})
		for _, call := range calls {
			output := f.act(t, call)
			if t.ctx.Err() == nil || f.defect != "dangling-history" {
				s.history = append(s.history, map[string]any{"role": "tool", "tool_call_id": call.ID, "content": output})
			}
			if f.defect == "second-result" {
				s.history = append(s.history, map[string]any{"role": "tool", "tool_call_id": call.ID, "content": output})
			}
			if f.defect == "result-twice" {
				s.history = append(s.history, map[string]any{"role": "assistant", "tool_calls": calls})
				s.history = append(s.history, map[string]any{"role": "tool", "tool_call_id": call.ID, "content": output})
			}
		}
		if t.ctx.Err() != nil {
			return "tool"
		}
	}
}

type faultyCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// streamModel streams one response of the model.
func (f *faulty) streamModel(t *faultyTurn) (text string, calls []faultyCall) {
	ctx := t.ctx
	if f.defect == "keeps-model-request" {
		ctx = context.Background()
	}
	body, _ := json.Marshal(map[string]any{"model": "fake", "stream": true, "messages": t.session.history, "tools": []any{map[string]any{
		"type": "function", "function": map[string]any{"name": "shell", "parameters": map[string]any{"type": "object"}},
	}}})
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, f.url+"/chat/completions", bytes.NewReader(body))
	req.Header.Set("Authorization", "Bearer x")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", nil
	}
	if f.defect != "keeps-model-request" {
		defer resp.Body.Close()
	}
	lines := bufio.NewScanner(resp.Body)
	for t.ctx.Err() == nil && lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content string `json:"content"`
					Calls   []struct {
						Index int `json:"index"`
						faultyCall
					} `json:"tool_calls"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if !ok || json.Unmarshal([]byte(data), &chunk) != nil || len(chunk.Choices) == 0 {
			continue
		}
		delta := chunk.Choices[0].Delta
		if delta.Content != "" {
			text += delta.Content
			f.chunk(t.session, delta.Content)
		}
		for _, part := range delta.Calls {
			if part.Index == len(calls) {
				calls = append(calls, faultyCall{ID: part.ID, Type: "function"})
			}
			calls[part.Index].Function.Name += part.Function.Name
			calls[part.Index].Function.Arguments += part.Function.Arguments
		}
	}
	return text, calls
}

// act runs one call, if the client permits it.
func (f *faulty) act(t *faultyTurn, call faultyCall) string {
	f.update(t.session, map[string]any{"sessionUpdate": "tool_call", "toolCallId": call.ID, "title": "shell", "status": "pending"})
	output, status := "not started", "failed"
	permitted := f.permitted(t, call)
	if t.ctx.Err() != nil && f.defect == "runs-unpermitted" {
		f.runAnyway(call)
	}
	if permitted {
		output, status = f.shell(t, call)
	}
	never := t.ctx.Err() != nil && f.defect == "tool-never-final" || t.ctx.Err() == nil && f.defect == "call-without-end"
	if !never {
		f.update(t.session, map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": call.ID, "status": status})
	}
	return output
}

func (f *faulty) permitted(t *faultyTurn, call faultyCall) bool {
	if f.defect == "never-asks" {
		return true
	}
	answer := make(chan string, 1)
	f.mu.Lock()
	id := strconv.Quote("ask " + call.ID + t.id)
	f.questions[id] = answer
	f.mu.Unlock()
	f.send(map[string]any{"id": json.RawMessage(id), "method": "session/request_permission", "params": map[string]any{
		"sessionId": t.session.id, "toolCall": map[string]any{"toolCallId": call.ID},
		"options": []any{map[string]any{"optionId": "no", "kind": "reject_once"}, map[string]any{"optionId": "yes", "kind": "allow_once"}},
	}})
	if f.defect == "hangs-on-permission" {
		return <-answer == "selected" && t.ctx.Err() == nil
	}
	select {
	case outcome := <-answer:
		return outcome == "selected" && t.ctx.Err() == nil
	case <-t.ctx.Done():
		return false
	}
}

// runAnyway starts a command that the client did not permit, and ends it half a
// second later.
func (f *faulty) runAnyway(call faultyCall) {
	cmd := exec.Command("sh", "-c", call.command())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if cmd.Start() == nil {
		f.turns.Go(func() {
			<-time.After(500 * time.Millisecond)
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		})
	}
}

func (c faultyCall) command() string {
	var args struct {
		Command string `json:"command"`
	}
	_ = json.Unmarshal([]byte(c.Function.Arguments), &args)
	return args.Command
}

func (f *faulty) shell(t *faultyTurn, call faultyCall) (output, status string) {
	if f.defect == "runs-no-commands" || f.defect == "no-commands-after-stop" && t.session.stopped.Load() {
		return "not possible", "failed"
	}
	f.update(t.session, map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": call.ID, "status": "in_progress"})
	cmd := exec.Command("sh", "-c", call.command())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err.Error(), "failed"
	}
	began := time.Now()
	leaks := func() bool { // a command that is stopped as soon as it runs does not leak
		return f.defect == "leaks-grandchild" || f.defect == "leaks-old-command" && time.Since(began) > 300*time.Millisecond
	}
	stop := context.AfterFunc(t.ctx, func() {
		if leaks() {
			_ = cmd.Process.Kill()
			return
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	defer stop()
	_ = cmd.Wait()
	if f.defect == "keeps-background" && t.ctx.Err() == nil {
		return "done", "completed"
	}
	if !leaks() || t.ctx.Err() == nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left in the background
	}
	for !leaks() && syscall.Kill(-cmd.Process.Pid, 0) == nil {
		<-time.After(time.Millisecond)
	}
	if t.ctx.Err() != nil {
		return "stopped", "failed"
	}
	return "done", "completed"
}
