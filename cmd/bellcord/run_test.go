//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/store"
)

func TestRun_Done_PrintsAnswerAndExitsWithZero(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, errs, code := w.does("run", "[say Hello there.]")
	if out != "Hello there.\n" || errs != "" || code != 0 {
		t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
	}
}

func TestRun_JSON_LastLineContainsReceiptAndAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		name, prompt, text string
		end                bellcord.End
		messages           int
	}{
		{"done", `[tool shell {"command":"echo hi"}]`, "", bellcord.EndDone, 2},
		{"failed", "[say so far][status 400]", "", bellcord.EndFailed, 0},
		{"deadline", "[say so far and no more][hang after 2]", "so far", bellcord.EndStopped, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, errs, _ := w.does("run", "--json", "--mode", "full", "--deadline", "3s", c.prompt)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			var last struct {
				Kind string
				Turn bellcord.TurnID
				Body struct {
					Receipt bellcord.Receipt
					Answer  bellcord.TurnAnswer
				}
			}
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
				t.Fatalf("%v: %s\n%s", err, out, errs)
			}
			b := last.Body
			if last.Kind != "result" || last.Turn != b.Receipt.Turn || b.Receipt.End != c.end || len(b.Answer.Messages) != c.messages ||
				c.text != "" && strings.TrimSpace(b.Answer.Text) != c.text {
				t.Errorf("%s", lines[len(lines)-1])
			}
		})
	}
}

func TestRun_CtrlC_StopsKeepsTextAndExitsWith130(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.starts("[slow 1000]")
	session := p.until("text_delta").Session
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.drain()
	if p.end == nil || p.end.End != bellcord.EndStopped || p.end.Cause.By != "Ctrl-C" || p.ProcessState.ExitCode() != exitStopped {
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

func TestRun_SecondCtrlC_SkipsGraceOfCommandIgnoringSIGTERM(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.starts("--mode", "full", `[tool shell {"command":"trap '' TERM; echo ready; while :; do sleep 0.05; done"}]`)
	p.until("tool_output_delta")
	for range 2 {
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		p.untilStopOrEnd()
	}
	p.drain()
	if p.end == nil || p.end.End != bellcord.EndStopped || len(p.end.Processes.Ended) == 0 || p.end.Processes.Ended[0].How != "killed" {
		t.Fatalf("end %+v", p.end)
	}
	// That a forced stop skips the grace, TestLadder_EachKindOfCommand_EndsAsReported proves with a
	// grace of an hour.
	if took := p.end.Times.Settled.Sub(p.end.Times.StopRequested); w.stopOf(p.end.Turn).Mode != bellcord.StopForce || *timing && took >= 2*time.Second {
		t.Errorf("it waited out the grace: %v, %+v", took, w.stopOf(p.end.Turn))
	}
	if err := syscall.Kill(p.end.Processes.Ended[0].PID, 0); err == nil {
		t.Error("the command is alive")
	}
}

// stopOf returns the stop of a turn as the store contains it.
func (w *world) stopOf(turn bellcord.TurnID) bellcord.Cause {
	w.t.Helper()
	var record store.TurnRecord
	s := settings{data: w.data}
	err := s.withStore(context.Background(), func(store app.Store) (err error) {
		record, err = store.Turn(context.Background(), turn)
		return err
	})
	if err != nil || record.Stop == nil {
		w.t.Fatalf("%+v, %v", record, err)
	}
	return *record.Stop
}

// untilStopOrEnd reads events until the stop is recorded or the output ends.
func (p *process) untilStopOrEnd() {
	for p.end == nil {
		if ev, ok := p.next(); !ok || ev.Kind == "stop_requested" {
			return
		}
	}
}

func TestSessions_Stored_AreListedAndShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if out, _, _ := w.does("sessions"); out != "no sessions yet\n" {
		t.Errorf("%q", out)
	}
	p := w.starts("[say first answer]")
	session := p.until("text_delta").Session
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

func TestSessions_ControlCharactersInRecord_NeverReachTerminal(t *testing.T) {
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

func TestCommands_Mistake_IsReportedInOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--model", "nope/x", "hi"}, `unknown provider "nope"`},
		{[]string{"run", "--model", "fake", "hi"}, "use the form provider/model"},
		{[]string{"run", "--mode", "yolo", "hi"}, `unknown mode "yolo": use read-only, ask, auto-edit or full`},
		{[]string{"run", "--turn", "seven", "hi"}, "id is not a UUID"},
		{[]string{"stop", "seven"}, "neither a session nor a turn"},
		{[]string{"run", "--session", "nope", "hi"}, "no such session"},
		{[]string{"run", "[status 400]"}, "failed"},
		{[]string{"run", "/stop"}, "/stop is a command and is not sent to a model; to send it as text, write //stop"},
		{[]string{"run", "/modell x"}, "unknown command /modell (did you mean /model?)"},
	} {
		_, errs, code := w.does(c.args...)
		if !strings.Contains(errs, c.want) || code != exitFailed {
			t.Errorf("%v: %q, exit code %d", c.args, errs, code)
		}
	}
}

func TestRun_SlashCommand_CreatesNoSessionAndDoubleSlashIsText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, errs, code := w.does("run", "/stop"); code != exitFailed {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if out, _, _ := w.does("sessions", "--json"); strings.Contains(out, `"id"`) {
		t.Errorf("a session was made: %s", out)
	}
	if out, errs, code := w.does("run", "//stop"); code != 0 || !strings.Contains(out, "You said: /stop") {
		t.Errorf("%q, %q, exit code %d", out, errs, code)
	}
}

func TestRun_AddDir_LetsFileToolsAccessIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "note.txt"), []byte("from elsewhere"), 0o600); err != nil {
		t.Fatal(err)
	}
	prompt := `[tool read_file {"path":"` + filepath.Join(other, "note.txt") + `"}]`
	if out, errs, code := w.does("run", "--add-dir", other, prompt); !strings.Contains(out, "from elsewhere") || code != 0 {
		t.Errorf("with --add-dir: %q, %q, exit code %d", out, errs, code)
	}
	if out, errs, _ := w.does("run", "--continue", prompt); !strings.Contains(out, "from elsewhere") {
		t.Errorf("continued: %q, %q", out, errs)
	}
	if out, _, _ := w.does("run", prompt); !strings.Contains(out, "outside the working directory") {
		t.Errorf("without --add-dir: %q", out)
	}
	if _, errs, code := w.does("run", "--add-dir", other+"/none", prompt); code == 0 || !strings.Contains(errs, "--add-dir: no such directory") {
		t.Errorf("with a directory that does not exist: %q, exit code %d", errs, code)
	}
}
