// Package pi implements pi's RPC protocol: JSON records, one per line, over the
// stdin and stdout of `pi --mode rpc`.
//
// All versions from 0.57 on are handled in the same way. Text is assembled from
// deltas, which both forms of message_update contain. A run is over when pi
// sends agent_settled; versions without it are queried for their state after
// agent_end.
//
// A stop is an abort. Pi confirms it with the response to the abort, not with
// agent_end: during the pause before a retry, there is no second agent_end. An
// abort that reaches pi before it has accepted the prompt is lost, so an early
// stop waits for the acceptance. After the response, pi's state is read, and
// the abort is repeated until pi is idle.
//
// The second channel is translated: the models, thinking levels and commands
// that pi reports become ACP's options and commands, and ACP's requests become
// commands of pi. Their responses are matched by id, apart from those of a turn.
// Pi expands a prompt that begins with the name of one of its commands; other
// text with a slash reaches the model unchanged.
package pi

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/child"
)

// speaker is a child.Controller.
type speaker struct {
	process  child.Process
	inbox    inbox
	requests requests
	settings settings
	number   atomic.Int64 // number of the last command
	reader   sync.Once

	handshake sync.Mutex // protects the next two until the handshake has succeeded
	greeted   bool
	clears    bool // supports clear_queue

	// session holds a token while pi's session is open and neither a turn nor a
	// fork uses it. The owner of the token may use the fields below.
	session chan struct{}
	astray  bool                // pi could not return from a fork to its session
	settles bool                // sends agent_settled
	model   string              // provider/model of the next request, as last reported
	context int64               // tokens in the conversation, as of the last answer
	used    bellcord.ContextUse // as last recorded
}

// New returns a Speaker for a process that runs pi in RPC mode. It reads the
// process's output from the handshake on, until the output ends.
func New(p child.Process) child.Speaker {
	return &speaker{process: p, inbox: newInbox(), session: make(chan struct{}, 1)}
}

// queueBound is how long the handshake waits for the response to clear_queue. It
// is one of the commands that some versions do not have.
const queueBound = 10 * time.Second

// shakeHands starts to read pi's output and waits until pi responds, once.
func (s *speaker) shakeHands(ctx context.Context) error {
	s.handshake.Lock()
	defer s.handshake.Unlock()
	if s.greeted {
		return nil
	}
	s.reader.Do(func() { go s.read() })
	if _, err := s.state(ctx); err != nil {
		return fmt.Errorf("reading pi's state: %w", err)
	}
	quick, done := context.WithTimeout(ctx, queueBound)
	defer done()
	_, err := s.request(quick, "clear_queue", nil)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.clears = err == nil
	s.settles = s.clears // clear_queue was added four versions after agent_settled
	s.greeted = true
	return nil
}

// Open implements child.Speaker. The session's id is the path of its file. A pi
// that stores no files has sessions that cannot be resumed.
func (s *speaker) Open(ctx context.Context, _ bellcord.Session, own string) (string, error) {
	if err := s.shakeHands(ctx); err != nil {
		return "", err
	}
	if filepath.IsAbs(own) {
		// If pi cannot resume the session, it stays in its new one.
		_, err := s.request(ctx, "switch_session", map[string]any{"sessionPath": own})
		if err != nil && !refused(err) {
			return "", fmt.Errorf("resuming pi's session: %w", err)
		}
	}
	now, err := s.readSettings(ctx)
	if err != nil {
		return "", fmt.Errorf("reading pi's session: %w", err)
	}
	s.release()
	return now.id(), nil
}

// release lets a turn or a fork use pi's session.
func (s *speaker) release() { s.session <- struct{}{} }

// Close implements child.Speaker. The reading goroutine returns at the end of
// the process's output.
func (s *speaker) Close() { s.endInput() }

func (s *speaker) endInput() {
	s.inbox.endInput()
	s.requests.end()
}

// read processes pi's records until its output ends. What a record reports about
// settings is stored first, in pi's order.
func (s *speaker) read() {
	for line := range lines(s.process.Out) {
		r, ok := decode(line)
		if !ok {
			continue
		}
		s.settings.observe(r)
		if !s.requests.deliver(r) && !s.inbox.put(r) && r.isDialog() {
			s.cancel(r.ID) // between turns no question can be shown
		}
	}
	s.endInput()
}
