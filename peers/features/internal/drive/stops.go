package drive

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Stopping is a series of stops of one agent behind Bellcord, at random moments of turns that
// stream text or run commands with processes that try to stay.
type Stopping struct {
	v     *Visit
	asked int // stops that were sent while the turn ran
	early int // turns that ended before their stop
	next  int // prompts and commands between the stops
	wrong []string
	took  []time.Duration
}

// stopBound is how long a stop may take, slightly more than the laws allow.
const stopBound = 12 * time.Second

// Stop stops n turns in one session.
func (v *Visit) Stop(n int) (*Stopping, error) {
	if err := v.openMain(); err != nil {
		return nil, err
	}
	defer v.client.disconnect()
	s := &Stopping{v: v}
	for i := range n {
		if v.ctx.Err() != nil {
			return s, context.Cause(v.ctx)
		}
		s.stopOne(i)
		if i%5 == 4 {
			s.promptAfter(i)
		}
		if i%5 == 2 {
			s.commandAfter(i)
		}
	}
	s.promptAfter(n)
	v.stages["stops"] = &stage{name: "stops", frames: v.client.since(0), requests: v.model.Requests()}
	v.order = []string{"stops"}
	return s, nil
}

func (s *Stopping) note(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// stopOne sends a prompt and, a random time later, a cancel.
func (s *Stopping) stopOne(i int) {
	c := s.v.client
	text, token := s.script(i)
	m, id := c.request("session/prompt", object{"sessionId": s.v.session, "prompt": []object{textBlock(text)}})
	from := c.count()
	if err := c.write(m); err != nil {
		s.note("stop %d: %v", i, err)
		return
	}
	s.v.pause(moment())
	early := slices.ContainsFunc(c.since(from), answers(id))
	began := time.Now()
	if err := s.v.cancel(); err != nil {
		s.note("stop %d: %v", i, err)
		return
	}
	ctx, done := context.WithTimeout(s.v.ctx, stopBound)
	defer done()
	f, err := c.await(ctx, from, answers(id))
	took := time.Since(began)
	left := processes(token)
	switch result, failure := resultOf("session/prompt", f); {
	case early:
		s.early++
		return
	case err != nil:
		s.note("stop %d: no answer after %s", i, stopBound)
	case failure != nil || textAt(result, "stopReason") != "cancelled":
		s.note("stop %d was lost: %s", i, Clip(string(f.raw)))
	}
	s.asked++
	s.took = append(s.took, took)
	if left > 0 {
		s.note("stop %d: %d processes left at the answer", i, left)
	}
	if open := openCalls(c.since(from)); len(open) > 0 {
		s.note("stop %d: calls left open: %v", i, open)
	}
}

// script returns a prompt for a turn that lasts longer than its stop, and the text by which the
// processes of its command are found.
func (s *Stopping) script(i int) (text, token string) {
	token = fmt.Sprintf("sleep 7%04d.%04d", i, rand.IntN(10000)) //nolint:gosec // not a secret
	command := "(setsid " + token + " &) ; " + token
	switch i % 3 {
	case 0:
		return fmt.Sprintf("[reset] [slow 2000 10ms] %d", i), token
	case 1:
		command = "nohup " + token + " >/dev/null 2>&1 & echo hi; " + token
	}
	use := s.v.shell(command)
	return fmt.Sprintf("[reset] [tool %s %s] [then [slow 2000 10ms]]", use.tool, use.args), token
}

// moment returns how long after the prompt a stop is sent: at once, in the first milliseconds, or
// later.
func moment() time.Duration {
	switch rand.IntN(4) { //nolint:gosec // not a secret
	case 0:
		return 0
	case 1:
		return time.Duration(rand.IntN(int(10 * time.Millisecond))) //nolint:gosec // not a secret
	case 2:
		return time.Duration(rand.IntN(int(300 * time.Millisecond))) //nolint:gosec // not a secret
	default:
		return time.Duration(rand.IntN(int(1200 * time.Millisecond))) //nolint:gosec // not a secret
	}
}

// processes counts the processes whose command lines contain a token.
func processes(token string) int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is valid
	n := 0
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(bytes.ReplaceAll(line, []byte{0}, []byte{' '}), []byte(token)) {
			n++
		}
	}
	return n
}

// openCalls returns the calls without a final status.
func openCalls(frames []frame) []string {
	status := map[string]string{}
	for _, f := range frames {
		u, kind := f.update()
		if kind != "tool_call" && kind != "tool_call_update" {
			continue
		}
		id := textAt(u, "toolCallId")
		if now := textAt(u, "status"); now != "" || kind == "tool_call" {
			status[id] = now
		}
	}
	var open []string
	for id, now := range status {
		if now != "completed" && now != "failed" {
			open = append(open, id+" "+now)
		}
	}
	return open
}

// promptAfter checks that the next prompt has the right answer.
func (s *Stopping) promptAfter(i int) {
	s.next++
	want := fmt.Sprintf("still-here-%d", i)
	st := s.v.say("next", "[reset] [say "+want+"]")
	if st.err != nil || textAt(st.result, "stopReason") != "end_turn" || !strings.Contains(st.text(), want) {
		s.note("prompt after stop %d: %v, %s, answer %q", i, st.err, textAt(st.result, "stopReason"), Clip(st.text()))
	}
}

// commandAfter checks that the next command is recognized.
func (s *Stopping) commandAfter(i int) {
	s.next++
	s.v.say("next command", s.v.kit.typed())
	if f := s.v.expanded("next command"); f.State != Present {
		s.note("command after stop %d: %s", i, f.Saw)
	}
}

// String describes the series in one line.
func (s *Stopping) String() string {
	slices.Sort(s.took)
	middle, longest := time.Duration(0), time.Duration(0)
	if len(s.took) > 0 {
		middle, longest = s.took[len(s.took)/2], s.took[len(s.took)-1]
	}
	return fmt.Sprintf("%d stops (%d turns had ended before), %d prompts and commands after them: %d wrong; stop p50 %s, max %s",
		s.asked, s.early, s.next, len(s.wrong), middle.Round(time.Millisecond), longest.Round(time.Millisecond))
}

// Wrong returns what was wrong, one line each.
func (s *Stopping) Wrong() []string { return s.wrong }
