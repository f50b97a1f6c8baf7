package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

var (
	winePath = flag.String("wine", "", "program that runs bellcord.exe under Wine; make wine sets it")
	early    = flag.Int("early", 30, "how many prompts have their cancel in the same write")
)

// newWineWorld is a world in which bellcord.exe runs under Wine. The processes of
// its commands are processes of this system.
func newWineWorld(t *testing.T) *world {
	t.Helper()
	if *winePath == "" {
		t.Skip("-wine is not set: make wine runs this")
	}
	w := newServerWorld(t)
	w.program = *winePath
	return w
}

// windowsSleepers returns a command of Windows that starts three processes which run until
// they are ended, and the number that identifies them.
func windowsSleepers() (prompt, token string) {
	token = strconv.FormatInt(1_000_000_000+rand.Int64N(1_000_000_000), 10)
	command := fmt.Sprintf("echo up & start /b sleeper %s & sleeper %s", token, token)
	return `[tool shell {"command":` + strconv.Quote(command) + `}]`, token
}

// withToken returns the command lines of this system's processes that contain the
// token in an argument. Bellcord's own command line has it in the prompt.
func withToken(t *testing.T, token string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		line, _ := os.ReadFile(file) // a process can exit meanwhile
		if text := strings.ReplaceAll(string(line), "\x00", " "); strings.Contains(text, token) && !strings.Contains(text, "bellcord") {
			found = append(found, text)
		}
	}
	return found
}

// awaitSleepers waits until both sleepers run. Before them, start.exe runs with the same
// arguments.
func awaitSleepers(t *testing.T, token string) {
	t.Helper()
	running := func() (n int) {
		for _, line := range withToken(t, token) {
			if program, _, _ := strings.Cut(line, " "); strings.Contains(program, "sleeper") {
				n++
			}
		}
		return n
	}
	if !within(time.Minute, func() bool { return running() >= 2 }) {
		t.Fatalf("not both run: %q", withToken(t, token))
	}
}

// noneLeft checks that the system shows no process with the token. Wine reports
// the end of a process before its process here has exited.
func noneLeft(t *testing.T, token string) {
	t.Helper()
	if !within(10*time.Second, func() bool { return len(withToken(t, token)) == 0 }) {
		t.Errorf("left: %q", withToken(t, token))
	}
}

func within(limit time.Duration, holds func() bool) bool {
	for began := time.Now(); !holds(); <-time.After(5 * time.Millisecond) {
		if time.Since(began) > limit {
			return false
		}
	}
	return true
}

// stoppedSleepers checks the receipt of a turn that was stopped while sleepers ran.
func stoppedSleepers(t *testing.T, r *bellcord.Receipt) {
	t.Helper()
	if r == nil || r.End != bellcord.EndStopped || len(r.Processes.Ended) < 3 || len(r.Processes.Survivors) != 0 || r.Processes.Proof != "job_object" {
		t.Errorf("receipt %+v", r)
	}
}

func TestWine_StopOfRun_EndsProcessesAndReturnsReceipt(t *testing.T) {
	w := newWineWorld(t)
	if out, errs, code := w.does("run", "[say hello from Windows]"); code != 0 || !strings.Contains(out, "hello from Windows") {
		t.Fatalf("exit code %d: %q %q", code, out, errs)
	}
	prompt, token := windowsSleepers()
	turn := bellcord.NewTurnID()
	p := w.starts("--mode", "full", "--turn", string(turn), prompt)
	p.until("tool_output_delta")
	awaitSleepers(t, token)
	out, errs, _ := w.does("stop", string(turn), "--json")
	p.drain()
	noneLeft(t, token)
	var answer bellcord.StopAnswer
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("%v: %q %q", err, out, errs)
	}
	stoppedSleepers(t, answer.Receipt)
	if p.ProcessState.ExitCode() != exitStopped {
		t.Errorf("exit code %d, want %d", p.ProcessState.ExitCode(), exitStopped)
	}
}

// Laws 15 and 33: a job object ends the processes of a killed bellcord.exe, and
// the next start records the turn as lost.
func TestWine_KillDuringTool_LeavesNoProcessAndTurnIsLost(t *testing.T) {
	w := newWineWorld(t)
	p := w.starts("[say the session]")
	session := p.until("text_delta").Session
	p.drain()
	for n := range *kills {
		prompt, token := windowsSleepers()
		p := w.starts("--mode", "full", "--session", string(session), prompt)
		p.until("tool_output_delta")
		awaitSleepers(t, token)
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.drain()
		if out, errs, code := w.does("run", "--session", string(session), "and now?"); code != 0 {
			t.Fatalf("kill %d: the next prompt: %s %s", n, out, errs)
		}
		noneLeft(t, token)
	}
	_, ends := w.record(session)
	lost := 0
	for _, end := range ends {
		if end.End == bellcord.EndLost {
			lost++
		}
	}
	if out, errs, code := w.does("store", "check"); code != 0 {
		t.Errorf("store check: %s %s", out, errs)
	}
	if refused := w.model.Rejections(); lost != *kills || len(ends) != 2**kills+1 || len(refused) > 0 {
		t.Errorf("%d turns lost of %d, %d ends, the model rejected %v", lost, *kills, len(ends), refused)
	}
	t.Logf("%d kills under Wine: 0 processes left, %d turns lost, every next prompt accepted", *kills, lost)
}

func TestWine_StopInPlainChat_ShowsReceipt(t *testing.T) {
	w := newWineWorld(t)
	cmd := w.bellcord("chat", "--plain")
	in, lines := pipes(t, cmd)
	writeTo(t, in, "[slow 6000 20ms]\n")
	sees(t, lines, "word9 ")
	writeTo(t, in, "/stop\n")
	sees(t, lines, "■ stopped by ")
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, lines)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Wine 8 has no UNIX sockets, so the server listens on TCP only.
func TestWine_StopOverHTTP_EndsProcessesAndKilledServerLeavesNone(t *testing.T) {
	w := newWineWorld(t)
	s := w.daemon(nil, "--mode", "full")
	prompt, token := windowsSleepers()
	session, turn := s.prompts(prompt)
	s.until(session, "tool_output_delta")
	awaitSleepers(t, token)
	var stopped api.Stopped
	if status := s.request("POST", "/v1/turns/"+string(turn)+"/stop", api.Stop{}, &stopped); status != 200 || len(stopped.Turns) != 1 {
		t.Fatalf("status %d: %+v", status, stopped)
	}
	stoppedSleepers(t, stopped.Turns[0].Receipt)
	noneLeft(t, token)

	prompt, token = windowsSleepers()
	session, _ = s.prompts(prompt)
	s.until(session, "tool_output_delta")
	awaitSleepers(t, token)
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	w.daemon(nil)
	noneLeft(t, token)
	if _, ends := w.record(session); len(ends) != 1 || ends[0].End != bellcord.EndLost {
		t.Errorf("ends %+v, want one that is lost", ends)
	}
}

// Wine delivers SIGINT to bellcord.exe as Ctrl-C.
func TestWine_CtrlCOfServer_StopsTurnsAndExits(t *testing.T) {
	w := newWineWorld(t)
	s := w.daemon(nil, "--mode", "full", "--shutdown-grace", "0s")
	prompt, token := windowsSleepers()
	session, _ := s.prompts(prompt)
	s.until(session, "tool_output_delta")
	awaitSleepers(t, token)
	if err := s.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderrText())
	}
	noneLeft(t, token)
	_, ends := w.record(session)
	if len(ends) != 1 || ends[0].Cause == nil || ends[0].Cause.Kind != bellcord.CauseShutdown {
		t.Fatalf("ends %+v, want one that the shutdown stopped", ends)
	}
	stoppedSleepers(t, &ends[0])
}

// Law 2: the cancel arrives in the same write as its prompt.
func TestWine_CancelInOneWriteWithItsPrompt_IsNeverLost(t *testing.T) {
	w := newWineWorld(t)
	cmd := w.bellcord("acp")
	in, lines := pipes(t, cmd)
	call := func(id int, method string, params any, then string) map[string]any {
		frame, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		writeTo(t, in, string(frame)+"\n"+then)
		return answerTo(t, lines, id)
	}
	call(1, "initialize", map[string]any{"protocolVersion": 1}, "")
	cwd := `Z:` + strings.ReplaceAll(w.dir, "/", `\`)
	made := call(2, "session/new", map[string]any{"cwd": cwd, "mcpServers": []any{}}, "")
	session, _ := made["sessionId"].(string)
	if session == "" {
		t.Fatalf("no session: %v", made)
	}
	prompt := func(id int, text, then string) any {
		return call(id, "session/prompt", map[string]any{"sessionId": session, "prompt": []any{map[string]string{"type": "text", "text": text}}}, then)["stopReason"]
	}
	cancel := `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + session + `"}}` + "\n"
	lost := 0
	for i := range *early {
		if prompt(3+i, "[slow 20 5ms]", cancel) != "cancelled" {
			lost++
		}
	}
	if reason := prompt(3+*early, "and now?", ""); reason != "end_turn" {
		t.Errorf("the last prompt, without a cancel, ended with %v", reason)
	}
	t.Logf("prompt and cancel in one write under Wine: %d times, %d lost", *early, lost)
	if refused := w.model.Rejections(); lost > 0 || len(refused) > 0 {
		t.Errorf("%d of %d lost; the model rejected %v", lost, *early, refused)
	}
	_ = in.Close()
	_, _ = io.Copy(io.Discard, lines)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// pipes starts a command and returns its input and its output.
func pipes(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, *bufio.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return in, bufio.NewReader(out)
}

func writeTo(t *testing.T, in io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(in, text); err != nil {
		t.Fatal(err)
	}
}

// sees reads up to the text.
func sees(t *testing.T, out *bufio.Reader, want string) {
	t.Helper()
	var all strings.Builder
	for !strings.HasSuffix(all.String(), want) {
		r, _, err := out.ReadRune()
		if err != nil {
			t.Fatalf("no %q in %q: %v", want, all.String(), err)
		}
		all.WriteRune(r)
	}
}

// answerTo reads up to the answer with the id and returns its result.
func answerTo(t *testing.T, out *bufio.Reader, id int) map[string]any {
	t.Helper()
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatalf("no answer to %d: %v", id, err)
		}
		var answer struct {
			ID     int
			Method string
			Result map[string]any
			Error  json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if answer.Method == "" && answer.ID == id {
			if answer.Error != nil {
				t.Errorf("request %d: %s", id, answer.Error)
			}
			return answer.Result
		}
	}
}
