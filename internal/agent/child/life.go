package child

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/proc"
)

// Writer queues records for the agent's stdin. Write never blocks: an agent
// that does not read must not delay a stop.
type Writer interface{ Write(record []byte) }

// Reader reads the agent's stdout.
type Reader = io.Reader

// StartBound is how long an agent may take to open its session.
const StartBound = 90 * time.Second

// life is one process of an agent.
type life struct {
	name    string
	dirs    []string // that it was started for
	running *proc.Running
	speaker Speaker
	pipe    *pipe
	stderr  *tail

	opened   chan struct{} // closed when own or err is set
	own      string        // id of the agent's session
	err      error
	recorded string // the agent session in the log
	fresh    bool   // the agent's session is new and does not contain the conversation

	host *host      // that uses the process; nil for the spare one; protected by Agent.mu
	idle *proc.Mark // the processes at the end of the last turn; used by turns, which never overlap
}

// launch returns a process for a session: the spare one, or a new one. The
// agent's session is not open yet.
func (a *Agent) launch(s bellcord.Session) (*life, error) {
	dirs := dirsOf(s)
	if l := a.takeSpare(dirs); l != nil {
		return l, nil
	}
	return a.startProcess(dirs)
}

// dirsOf returns the directories of a session.
func dirsOf(s bellcord.Session) []string { return append([]string{s.Dir}, s.AdditionalDirs...) }

// startProcess starts a process in the first directory.
func (a *Agent) startProcess(dirs []string) (*life, error) {
	l := &life{name: a.Definition.Name, dirs: dirs, opened: make(chan struct{}), stderr: &tail{}}
	running, err := a.Keeper.Start(proc.Command{
		Args: a.Definition.Command, Dir: dirs[0], Env: a.Definition.environment(), Bare: true,
		Output: l.stderr.appendTail, Owner: "agent " + a.Definition.Name, Name: a.Definition.Name,
	}, dirs)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", a.Definition.Name, err)
	}
	l.running, l.pipe = running, newPipe(running.Stdin)
	p := Process{In: l.pipe, Out: bufio.NewReaderSize(running.Stdout, 64<<10), Gone: running.Done()}
	if a.Turns != nil {
		p.Unprompted = func() { a.wake(l) }
	}
	l.speaker = a.NewSpeaker(p)
	return l, nil
}

// openSession opens the agent's session: the recorded one or a new one. It
// returns when the process ends, at the latest.
func (l *life) openSession(s bellcord.Session, chosen []setting) {
	defer close(l.opened)
	ctx, done := context.WithTimeout(context.Background(), StartBound)
	defer done()
	if l.own, l.err = l.speaker.Open(ctx, s, l.recorded); l.err != nil {
		l.err = fmt.Errorf("%s failed to start: %w%s", l.name, l.err, l.stderr.contents())
		return
	}
	l.apply(ctx, chosen)
}

// environment returns the variables that every program needs, followed by those
// of the definition.
func (d Definition) environment() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "SHELL", "TZ", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "SystemRoot", "USERPROFILE", "APPDATA", "LOCALAPPDATA"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return append(env, d.Env...)
}

func (l *life) gone() bool {
	select {
	case <-l.running.Done():
		return true
	default:
		return false
	}
}

// endProcess ends the process and all of its descendants. l may be nil.
func (l *life) endProcess(force <-chan struct{}) proc.Report {
	if l == nil {
		return proc.Report{}
	}
	l.speaker.Close()
	l.pipe.close()
	report := l.running.End(force)
	_ = l.running.Stdout.Close() // a survivor could keep it open
	return report
}

// crash waits for the process to end and returns an error with its exit code
// and stderr.
func (l *life) crash() error {
	exit := l.running.Wait()
	return fmt.Errorf("%s exited unexpectedly (exit code %d)%s: %w", l.name, exit.Code, l.stderr.contents(), ErrGone)
}

// tail keeps the end of a process's stderr, for the error after a crash.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const mostTail = 4 << 10

func (t *tail) appendTail(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > mostTail {
		t.text = append([]byte(nil), t.text[len(t.text)-mostTail:]...)
	}
}

func (t *tail) contents() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.text), ""))
	if text == "" {
		return ""
	}
	return "; stderr: " + text
}
