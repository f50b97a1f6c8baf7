//go:build unix

package main

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestRunPrintsTheAnswerOnStdoutAndExitsWithZero(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, errs, code := w.does("run", "[say Hello there.]")
	if out != "Hello there.\n" || errs != "" || code != 0 {
		t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
	}
}

func TestCtrlCStopsTheTurnKeepsTheTextAndExitsWith130(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.starts("[slow 1000]")
	session := p.until("said").Session
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.drain()
	if p.end == nil || p.end.End != bellcord.Stopped || p.end.Cause.By != "Ctrl-C" || p.ProcessState.ExitCode() != exitStopped {
		t.Errorf("end %+v, exit code %d", p.end, p.ProcessState.ExitCode())
	}
	if text, _ := w.record(session); text != p.shown.String() || text == "" {
		t.Errorf("shown %q, on record %q", p.shown.String(), text)
	}
	out, _, code := w.does("run", "--session", string(session), "and now?")
	if !strings.Contains(out, "and now?") || code != 0 || len(w.model.Rejections()) > 0 {
		t.Errorf("the next prompt: %q, exit code %d, rejected %v", out, code, w.model.Rejections())
	}
}

func TestASecondCtrlCDoesNotWaitForACommandThatIgnoresTerm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.starts("--mode", "full", `[tool shell {"command":"trap '' TERM; echo ready; while :; do sleep 0.05; done"}]`)
	p.until("call_output")
	for range 2 {
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		p.untilStopOrEnd()
	}
	p.drain()
	if p.end == nil || p.end.End != bellcord.Stopped || len(p.end.Processes.Ended) == 0 || p.end.Processes.Ended[0].How != "forced" {
		t.Fatalf("end %+v", p.end)
	}
	if took := p.end.Times.Settled.Sub(p.end.Times.Requested); took >= 2e9 {
		t.Errorf("it waited out the grace: %v", took)
	}
	if err := syscall.Kill(p.end.Processes.Ended[0].PID, 0); err == nil {
		t.Error("the command is alive")
	}
}

// untilStopOrEnd reads on to where the stop is on record.
func (p *process) untilStopOrEnd() {
	for p.end == nil {
		if ev, ok := p.next(); !ok || ev.Kind == "stop_asked" {
			return
		}
	}
}

func TestSessionsAreListedAndShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if out, _, _ := w.does("sessions"); out != "no sessions yet\n" {
		t.Errorf("%q", out)
	}
	p := w.starts("[say first answer]")
	session := p.until("said").Session
	p.drain()
	out, _, code := w.does("sessions")
	if !strings.Contains(out, string(session)) || !strings.Contains(out, "[say first answer]") || code != 0 {
		t.Errorf("%q", out)
	}
	out, _, code = w.does("sessions", "show", string(session))
	if !strings.Contains(out, "> [say first answer]") || !strings.Contains(out, "\nfirst answer\n") || code != 0 {
		t.Errorf("%q", out)
	}
	if _, errs, code := w.does("sessions", "show", "nope"); code != exitFailed || !strings.Contains(errs, "no such session") {
		t.Errorf("%q, exit code %d", errs, code)
	}
}

func TestNothingOnRecordSteersTheTerminalOfWhoLooksAtIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.starts("[say hi] \x1b[2J\u009b31m").drain()
	if out, _, code := w.does("sessions"); code != 0 || strings.ContainsAny(out, "\x1b\u009b") || !strings.Contains(out, "␛[2J") {
		t.Errorf("listed as %q", out)
	}
	var shown strings.Builder
	if n, err := io.WriteString(visibly{&shown}, "a\x1b[2Jé\n"); n != 8 || err != nil || shown.String() != "a␛[2Jé\n" {
		t.Errorf("%q, %d, %v", shown.String(), n, err)
	}
}

func TestWhatIsWrongIsSaidInOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"run", "--model", "nope/x", "hi"}, "there is no provider nope"},
		{[]string{"run", "--model", "fake", "hi"}, "it is written provider/model"},
		{[]string{"run", "--mode", "yolo", "hi"}, `mode "yolo": it is one of [read-only ask auto-edit full]`},
		{[]string{"run", "--turn", "seven", "hi"}, "id is not a UUID"},
		{[]string{"stop", "seven"}, "id is not a UUID"},
		{[]string{"run", "--session", "nope", "hi"}, "no such session"},
		{[]string{"run", "[status 400]"}, "failed"},
	} {
		_, errs, code := w.does(c.args...)
		if !strings.Contains(errs, c.says) || code != exitFailed {
			t.Errorf("%v: %q, exit code %d", c.args, errs, code)
		}
	}
}
