package pi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// run performs a prompt until its end or an abort.
func (f *fake) run(text string, images any) {
	f.event("agent_start")
	f.event("turn_start")
	f.event("message_start", "message", map[string]any{"role": "user", "content": text})
	f.event("message_end", "message", map[string]any{"role": "user", "content": text})
	text = text[strings.LastIndex(text, "\n")+1:] // the text before it is about the previous turn
	has := func(word string) bool { return strings.Contains(text, word) }
	switch {
	case has("crash"):
		f.answer("last words", "pending")
		fmt.Fprintln(os.Stderr, "something broke badly")
		os.Exit(7)
	case has("retry"):
		f.retry(has("succeed"))
		return
	case has("fail"):
		f.failing("400 bad request")
	case has("talks on"):
		f.talkOn()
	case has("deaf"):
		f.answer("I hear nothing", "pending")
		select {}
	case has("slow"):
		f.stream()
	case has("receives"):
		f.answer("waiting", "toolUse")
		f.event("turn_start")
		f.answer("steered: "+f.steered(true), "stop")
	case has("misses"):
		f.answer("waiting", "stop")
		f.steered(false)
	case has("tool"):
		f.tool(text)
	case has("dialog"):
		f.dialog(has("signal"), has("two"))
	case has("text wanted"):
		name := f.openDialog("d9", false, "method", "input", "title", "Your name", "placeholder", "first and last")
		text := f.openDialog("d8", false, "method", "editor", "title", "Your text", "prefill", "Dear")
		f.answer(fmt.Sprintf("%v %v, %v %v", name["value"], name["cancelled"], text["value"], text["cancelled"]), "stop")
	case has("secret wanted"):
		word := f.openDialog("d9", false, "method", "input", "title", "Your password")
		f.answer(fmt.Sprintf("%v %v", word["value"], word["cancelled"]), "stop")
	case has("odd lines"):
		f.raw("not json\n[1,2]\n\"text\"\n{\"type\":7}\n{\"no\":\"type\"}\r\n\r\n{\"type\":\"unheard_of\",\"usage\":\"much\"}\r\n")
		f.answer("one\u2028two\u2029three", "stop")
	case has("huge"):
		f.event("entry_appended", "entry", strings.Repeat("x", 65<<20))
		f.answer(strings.Repeat("y", 1<<20), "stop")
	case has("images"):
		f.answer(fmt.Sprint(images), "stop")
	case has("history"):
		f.answer(strings.Join(f.prompts, "|"), "stop")
	default:
		f.answer("you said: "+f.prompts[len(f.prompts)-1], "stop")
	}
	f.end()
}

func (f *fake) end() {
	fields := []any{"messages", []any{}}
	if f.modern {
		fields = append(fields, "willRetry", false)
	}
	f.event("agent_end", fields...)
}

func used(input, output int) map[string]any {
	return map[string]any{"input": input, "output": output, "cacheRead": 20, "cacheWrite": 5, "cost": map[string]any{"total": 0.00125}}
}

func assistant(reason, text string, usage any) map[string]any {
	return map[string]any{
		"role": "assistant", "provider": "fake", "model": "one", "stopReason": reason, "usage": usage,
		"content": []any{map[string]any{"type": "text", "text": text}},
	}
}

// delta sends a message_update in the form of this version.
func (f *fake) delta(soFar, kind, piece string) {
	update := map[string]any{"type": kind, "contentIndex": 0, "delta": piece}
	if f.modern {
		f.event("message_update", "assistantMessageEvent", update)
		return
	}
	whole := assistant("stop", soFar+piece, used(0, 0))
	update["partial"] = whole
	f.event("message_update", "message", whole, "assistantMessageEvent", update)
}

// answer sends a text. The reason "pending" leaves the message open.
func (f *fake) answer(text, reason string) {
	f.event("message_start", "message", map[string]any{"role": "assistant", "provider": "fake", "model": "one", "content": []any{}})
	half := len(text) / 2
	for half > 0 && text[half]&0xC0 == 0x80 {
		half--
	}
	f.delta("", "text_delta", text[:half])
	f.delta(text[:half], "text_delta", text[half:])
	if reason != "pending" {
		f.event("message_end", "message", assistant(reason, text, used(75, 10)))
		f.event("turn_end", "toolResults", []any{})
	}
}

// stream sends words until an abort, and then the message so far.
func (f *fake) stream() {
	f.event("message_start", "message", map[string]any{"role": "assistant", "provider": "fake", "model": "one", "content": []any{}})
	text := ""
	for i := 0; ; i++ {
		select {
		case <-f.aborted:
			f.event("message_end", "message", map[string]any{
				"role": "assistant", "stopReason": "aborted", "errorMessage": "Request was aborted",
				"content": []any{map[string]any{"type": "text", "text": text + "tail"}}, "usage": map[string]any{"input": 0},
			})
			f.event("turn_end")
			return
		case <-time.After(5 * time.Millisecond):
			word := fmt.Sprintf("w%d ", i)
			f.delta(text, "text_delta", word)
			text += word
		}
	}
}

// talkOn ignores an abort: it continues to send words, and runs more tools.
func (f *fake) talkOn() {
	f.event("message_start", "message", map[string]any{"role": "assistant", "provider": "fake", "model": "one", "content": []any{}})
	text := ""
	for i := 0; ; i++ {
		<-time.After(20 * time.Millisecond)
		word := fmt.Sprintf("w%d ", i)
		f.delta(text, "text_delta", word)
		text += word
		if i%20 == 19 {
			id := fmt.Sprintf("late-%d", i)
			f.event("tool_execution_start", "toolCallId", id, "toolName", "bash", "args", map[string]any{"command": "make"})
			f.event("tool_execution_end", "toolCallId", id, "result", map[string]any{"content": "done"}, "isError", false)
		}
	}
}

func (f *fake) failing(why string) {
	failed := map[string]any{"role": "assistant", "content": []any{}, "stopReason": "error", "errorMessage": why, "usage": map[string]any{"input": 0}}
	f.event("message_start", "message", failed)
	f.event("message_end", "message", failed)
	f.event("turn_end")
}

// retry pauses after a failure. An abort ends the pause without a second
// agent_end.
func (f *fake) retry(succeeds bool) {
	f.failing("503 overloaded")
	fields := []any{"messages", []any{}}
	if f.modern {
		fields = append(fields, "willRetry", true)
	}
	f.event("agent_end", fields...)
	f.event("auto_retry_start", "attempt", 1, "maxAttempts", 3, "delayMs", 2000, "errorMessage", "503 overloaded")
	f.mu.Lock()
	f.streaming = false
	f.mu.Unlock()
	pause := 20 * time.Second
	if succeeds {
		pause = 50 * time.Millisecond
	}
	select {
	case <-f.aborted:
		f.event("auto_retry_end", "success", false, "attempt", 1, "finalError", "Retry cancelled")
	case <-time.After(pause):
		f.event("agent_start")
		f.event("turn_start")
		f.answer("here at last", "stop")
		f.event("auto_retry_end", "success", true, "attempt", 1)
		f.end()
	}
}

// tool runs a tool until an abort. With "quick" in the prompt, the tool ends by
// itself.
func (f *fake) tool(text string) {
	args := map[string]any{"command": "make"}
	name := "bash"
	if _, edit, found := strings.Cut(text, "edit "); found { // the rest is the arguments
		name, args = "edit", map[string]any{}
		if err := json.NewDecoder(strings.NewReader(edit)).Decode(&args); err != nil {
			panic(err)
		}
	}
	call := map[string]any{"type": "toolCall", "id": "c1", "name": name, "arguments": args}
	f.event("message_start", "message", map[string]any{"role": "assistant", "content": []any{}})
	f.event("message_end", "message", map[string]any{"role": "assistant", "provider": "fake", "model": "one", "stopReason": "toolUse", "usage": used(75, 10), "content": []any{call}})
	f.event("tool_execution_start", "toolCallId", "c1", "toolName", name, "args", args)
	if _, seconds, found := strings.Cut(text, "detached "); found {
		detached(seconds)
	}
	result := func(text string) map[string]any {
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
	}
	if !strings.Contains(text, "silent") {
		f.event("tool_execution_update", "toolCallId", "c1", "partialResult", map[string]any{"content": []any{}})
		f.event("tool_execution_update", "toolCallId", "c1", "partialResult", result("one\n"))
		f.event("tool_execution_update", "toolCallId", "c1", "partialResult", result("one\ntwo\n"))
		f.event("tool_execution_update", "toolCallId", "c1", "partialResult", result("two\nthree\n"))
	}
	final, failed := "one\ntwo\nthree\n", false
	if strings.Contains(text, "queue") {
		f.mu.Lock()
		f.queued = []string{"queued one", "queued two"}
		f.mu.Unlock()
	}
	if !strings.Contains(text, "quick") {
		<-f.aborted
		final, failed = final+"\n\nCommand aborted", true
	}
	if strings.Contains(text, "stubborn") {
		f.mu.Lock()
		f.stubborn = 2
		f.mu.Unlock()
	}
	f.event("tool_execution_end", "toolCallId", "c1", "result", result(final), "isError", failed)
	f.event("message_end", "message", map[string]any{"role": "toolResult", "toolCallId": "c1", "content": final, "isError": failed})
	f.event("turn_end")
	f.event("turn_start")
	if failed {
		f.failing("This operation was aborted") // what 0.87 and later report for an abort
		return
	}
	f.answer("the tool is done", "stop")
}

// dialog opens a dialog before it runs a tool. An abort dismisses it only if
// signal is set.
func (f *fake) dialog(signal, two bool) {
	for _, id := range []string{"d1", "d2"} {
		reply := f.openDialog(id, signal, "method", "select", "title", "Allow bash: make", "options", []any{"Allow", "Block"})
		f.answer(fmt.Sprintf("[%v]", reply["value"]), "stop")
		if !two {
			return
		}
	}
}

// openDialog opens a dialog and waits for its answer, which may arrive before the
// write of the request has returned.
func (f *fake) openDialog(id string, signal bool, fields ...any) map[string]any {
	answer := make(chan map[string]any, 10)
	f.mu.Lock()
	f.dialogs[id] = answer
	f.mu.Unlock()
	f.event("extension_ui_request", append([]any{"id", id}, fields...)...)
	dismissed := f.aborted
	if !signal {
		dismissed = nil
	}
	select {
	case a := <-answer:
		return a
	case <-dismissed:
		return nil
	}
}
