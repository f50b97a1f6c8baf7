package peers_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

const (
	long   = "[slow 2000 10ms] long" // twenty seconds, if it is not stopped
	andNow = "and now"
)

func TestTypeScriptSDK_EveryScenario_PassesTheAudit(t *testing.T) {
	t.Parallel()
	scenarios := map[string]func(*rig){
		"a prompt is answered":                                                sdkPlain,
		"a cancel in mid-stream stops the model's request":                    sdkMidStream,
		"a cancel in the same write as its prompt is not lost":                sdkSameWrite,
		"a cancel during a command ends its processes before the answer":      sdkTool,
		"a cancel withdraws a permission that is never answered":              sdkUnanswered,
		"a permission answered cancelled, as the contract wants, ends well":   sdkPermissionCancelled,
		"a cancel while idle does nothing to the next prompt":                 sdkIdle,
		"a second cancel changes nothing":                                     sdkTwice,
		"prompts that overlap are answered in order, and a cancel stops both": sdkOverlap,
		"a cancelled request is a stopped prompt, and the next one runs":      sdkCancelRequest,
		"a close in mid-turn answers the prompt first":                        sdkClose,
		"a load in a new process replays what was streamed":                   sdkLoad,
		"model and mode can be set":                                           sdkSettings,
		"sessions are listed, resumed and deleted":                            sdkShelf,
	}
	for name, play := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			play(r)
			r.judge()
		})
	}
}

func sdkPlain(r *rig) {
	s := r.sdk("plain", "hello there")
	s.answered("hello there", "end_turn")
	s.ended()
	if got := r.transcript(0); !slices.Equal(got, []string{"user: hello there", "agent: You said: hello there"}) {
		r.Errorf("transcript %q", got)
	}
}

func sdkMidStream(r *rig) {
	s := r.sdk("cancel", long)
	s.stopWhenStreaming(long)
	s.thenGoesOn()
}

func sdkTwice(r *rig) {
	s := r.sdk("twice", long)
	s.stopWhenStreaming(long)
	s.thenGoesOn()
}

// stopWhenStreaming lets the script stop its prompt and waits for the abort.
func (s *script) stopWhenStreaming(prompt string) {
	s.Helper()
	s.waits("stop")
	s.awaitStreaming(prompt)
	s.goOn()
	s.answered(prompt, "cancelled")
	s.awaitAbort(prompt)
}

// thenGoesOn checks the prompt after the stop.
func (s *script) thenGoesOn() {
	s.Helper()
	s.waits("next")
	s.goOn()
	s.answered(andNow, "end_turn")
	s.ended()
}

func sdkSameWrite(r *rig) {
	s := r.sdk("sameWrite", long)
	s.answered(long, "cancelled")
	s.answered(andNow, "end_turn")
	s.ended()
	if late := r.requestsWith(long); len(late) > 0 {
		r.Errorf("the model was asked: %+v", late)
	}
	messages := r.messages(0)
	at := slices.IndexFunc(messages, func(m message) bool { return m.Method == "session/cancel" })
	if at < 1 || messages[at-1].Method != "session/prompt" || messages[at-1].Write != messages[at].Write {
		r.Errorf("prompt and cancel were not in one write: %v", messages[max(at-1, 0):])
	}
}

// sleeper returns a prompt for a command with two processes, and a unique mark in their arguments. The
// last command is not a sleep, because bash would become that process.
func sleeper() (prompt, mark string) {
	mark = fmt.Sprintf("60.%d", time.Now().UnixNano())
	return fmt.Sprintf(`[tool shell {"command":"sleep %s & sleep %s; true"}]`, mark, mark), mark
}

func sdkTool(r *rig) {
	prompt, mark := sleeper()
	s := r.sdk("cancel", prompt)
	s.waits("stop")
	r.awaitRunning(mark, 3) // both, and their shell
	s.goOn()
	s.answered(prompt, "cancelled")
	if left := running(r.T, mark); len(left) > 0 {
		r.Errorf("answered, and these still run: %q", left)
	}
	s.thenGoesOn()
	if n := len(r.requestsWith(prompt)); n != 1 {
		r.Errorf("the model was asked %d times for the stopped prompt", n)
	}
}

func sdkUnanswered(r *rig) {
	prompt, mark := sleeper()
	s := r.sdk("unanswered", prompt)
	s.open()
	s.answered(prompt, "cancelled")
	s.until("the dialog's end", func(e event) bool { return e.Permission == "withdrawn" })
	s.thenGoesOn()
	if left := running(r.T, mark); len(left) > 0 {
		r.Errorf("nobody allowed it, and it runs: %q", left)
	}
}

func sdkPermissionCancelled(r *rig) {
	prompt, mark := sleeper()
	s := r.sdk("permissionCancelled", prompt)
	s.open()
	s.answered(prompt, "cancelled")
	s.thenGoesOn()
	if left := running(r.T, mark); len(left) > 0 {
		r.Errorf("nobody allowed it, and it runs: %q", left)
	}
}

// open waits for the permission dialog and lets the script stop.
func (s *script) open() {
	s.Helper()
	s.waits("stop")
	s.until("the dialog", func(e event) bool { return e.Permission == "open" })
	s.goOn()
}

func sdkIdle(r *rig) {
	s := r.sdk("idle")
	s.answered("first", "end_turn")
	s.answered("second", "end_turn")
	s.ended()
}

func sdkOverlap(r *rig) {
	queued := "[say never] queued and stopped"
	s := r.sdk("overlap", long, queued)
	s.answered("[slow 20 5ms]", "end_turn")
	s.answered("queued and run", "end_turn")
	s.waits("stop")
	r.awaitStreaming(long)
	s.goOn()
	s.answered(long, "cancelled")
	s.answered(queued, "cancelled")
	s.answered(andNow, "end_turn")
	s.ended()
	if late := r.requestsWith(queued); len(late) > 0 {
		r.Errorf("the queued prompt was stopped, and the model was asked: %+v", late)
	}
	if first := r.answers(0)[:2]; !slices.Equal(first, []string{"[slow 20 5ms]", "queued and run"}) {
		r.Errorf("the answers came for %q", first)
	}
}

func sdkCancelRequest(r *rig) {
	s := r.sdk("cancelRequest", long, "queued")
	s.stopWhenStreaming(long)
	s.answered("queued", "end_turn")
	s.ended()
}
