package peers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

func TestAcpx_EveryScenario_PassesTheAudit(t *testing.T) {
	t.Parallel()
	scenarios := map[string]func(*rig){
		"a prompt is answered":                                         acpxPlain,
		"an interrupt in mid-stream stops the model's request":         acpxInterrupt,
		"a cancel by a second process in mid-stream stops the request": acpxCancel,
		"a cancel during a command ends its processes":                 acpxTool,
		"a permission denied is a failed call and no stop":             acpxDenied,
		"a cancel while idle does nothing to the next prompt":          acpxIdle,
		"a prompt queued behind a stopped one runs":                    acpxQueue,
		"a session goes on in a new process":                           acpxReopened,
		"model and mode can be set":                                    acpxSettings,
		"sessions are listed and closed":                               acpxShelf,
	}
	for name, play := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			play(r)
			if len(r.owners()) > 0 {
				r.acpx("sessions", "close").prints()
			}
			r.awaitExits()
			r.judge()
		})
	}
}

func acpxPlain(r *rig) {
	r.acpx("--approve-all", "exec", "hello there").prints("You said: hello there", "[done] end_turn")
}

func acpxInterrupt(r *rig) {
	call := r.acpx("--approve-all", "exec", long).start()
	r.awaitStreaming(long)
	if err := call.Process.Signal(os.Interrupt); err != nil {
		r.Fatal(err)
	}
	call.ends("[done] cancelled")
	r.awaitAbort(long)
}

func acpxCancel(r *rig) {
	r.acpx("sessions", "new").prints()
	call := r.acpx("prompt", long).start()
	r.awaitStreaming(long)
	r.acpx("cancel").prints("cancel requested")
	call.ends("[done] cancelled")
	r.awaitAbort(long)
	r.acpx("prompt", andNow).prints(andNow, "[done] end_turn")
}

func acpxTool(r *rig) {
	prompt, mark := sleeper()
	r.acpx("sessions", "new").prints()
	call := r.acpx("--approve-all", "prompt", prompt).start()
	r.awaitRunning(mark, 3) // two, and their shell
	r.acpx("cancel").prints("cancel requested")
	call.ends("(failed)", "[done] cancelled")
	if left := running(r.T, mark); len(left) > 0 {
		r.Errorf("answered, and these still run: %q", left)
	}
}

func acpxDenied(r *rig) {
	call := r.acpx("--deny-all", "exec", `[tool shell {"command":"echo ran > ran"}]`)
	call.code = 5 // acpx's exit code for a denied permission
	call.prints("(failed)", "[done] end_turn")
	if _, err := os.Stat(filepath.Join(r.path("work"), "ran")); err == nil {
		r.Error("the command was denied and ran")
	}
}

// acpx does not forward an idle cancel; the SDK's scenario sends one.
func acpxIdle(r *rig) {
	r.acpx("sessions", "new").prints()
	r.acpx("prompt", "one").prints("You said: one")
	r.acpx("cancel").prints("nothing to cancel")
	r.acpx("prompt", "two").prints("You said: two", "[done] end_turn")
}

// acpx queues prompts itself: a cancel applies to the running one.
func acpxQueue(r *rig) {
	r.acpx("sessions", "new").prints()
	call := r.acpx("prompt", long).start()
	r.awaitStreaming(long)
	r.acpx("prompt", "--no-wait", "queued").prints("[queued]")
	r.acpx("cancel").prints("cancel requested")
	call.ends("[done] cancelled")
	r.await("the queued prompt", "queued", func(q fakemodel.Request) bool { return !q.Finished.IsZero() })
}

func acpxReopened(r *rig) {
	r.acpx("sessions", "new").prints()
	r.acpxStaying("1", "prompt", "one").prints("You said: one")
	r.awaitExits()
	r.acpx("prompt", "two").prints("You said: two", "[done] end_turn")
	if requests := r.requestsWith("two"); len(requests) != 1 || requests[0].Messages != 4 {
		r.Errorf("in the new process the model was told %+v", requests)
	}
}

func acpxSettings(r *rig) {
	r.acpx("sessions", "new").prints()
	r.acpx("set", "model", "openai/fake-mini").prints("model set: openai/fake-mini")
	r.acpx("set-mode", "full").prints("mode set: full")
	// The permission would be denied, but in mode full there is no request. The command runs in the
	// background, because otherwise acpx would run it, and deny it.
	r.acpx("--deny-all", "prompt", `[tool shell {"command":"echo unasked","background":true}]`).prints("(completed)", "[done] end_turn")
	if requests := r.requestsWith("unasked"); len(requests) != 2 || requests[0].Model != "fake-mini" {
		r.Errorf("the model that answered is %+v", requests)
	}
}

func acpxShelf(r *rig) {
	r.acpx("sessions", "new").prints()
	r.acpx("prompt", "remember this").prints("You said: remember this")
	r.acpx("sessions", "list").prints("remember this", r.path("work"))
	r.acpx("sessions", "close").prints()
	r.acpx("sessions", "list").prints("remember this") // a closed session is not deleted
}
