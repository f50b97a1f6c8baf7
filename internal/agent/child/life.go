package child

import (
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

// life is a session that is open on a process.
type life struct {
	*process
	speaker Speaker
	person  string // the owner of the session

	opened   chan struct{} // closed when own or err is set
	own      string        // id of the agent's session
	err      error
	recorded string // the agent session in the log
	fresh    bool   // the agent's session is new and does not contain the conversation

	host *host
	kept *proc.Mark // the start of the first turn whose processes live on, or nil; protected by Agent.mu
}

// dirsOf returns the directories of a session.
func dirsOf(s bellcord.Session) []string { return append([]string{s.Dir}, s.AdditionalDirs...) }

// openSession opens the agent's session with the id own, or a new one, and ends this
// use of the process. It returns when the process ends, at the latest.
func (l *life) openSession(s bellcord.Session, own string, chosen []setting) {
	defer close(l.opened)
	defer l.release(false)
	defer l.setMark()
	ctx, done := context.WithTimeout(context.Background(), StartBound)
	defer done()
	if l.own, l.err = l.speaker.Open(ctx, s, own); l.err != nil {
		l.err = fmt.Errorf("%s failed to start: %w%s", l.name(), l.err, l.stderr.contents())
		return
	}
	l.apply(ctx, chosen)
}

func (l *life) isOpened() bool {
	select {
	case <-l.opened:
		return true
	default:
		return false
	}
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

func (p *process) name() string { return p.agent.Definition.Name }

func (p *process) gone() bool {
	select {
	case <-p.running.Done():
		return true
	default:
		return false
	}
}

// endProcess ends the process and all of its descendants.
func (p *process) endProcess(force <-chan struct{}) proc.Report {
	p.first.Close()
	p.pipe.close()
	report := p.running.End(force)
	_ = p.running.Stdout.Close() // a survivor could keep it open
	return report
}

// crash waits for the process to end and returns an error with its exit code
// and stderr.
func (p *process) crash() error {
	exit := p.running.Wait()
	return fmt.Errorf("%s exited unexpectedly (exit code %d)%s: %w", p.name(), exit.Code, p.stderr.contents(), ErrGone)
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
