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
// A user's text is never interpreted as one of pi's commands, skills or
// templates: pi only checks for a slash at the very beginning, so a space is
// put before it. The space also reaches the model, where it is harmless.
package pi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/child"
)

// speaker is a child.Speaker. Its fields are used by Open and Turn only, which
// never run concurrently; the inbox is shared with the reader.
type speaker struct {
	process child.Process
	inbox   inbox
	number  int // number of the last command

	clears  bool   // supports clear_queue
	settles bool   // sends agent_settled
	model   string // provider/model of the next request, as last reported
	context int64  // tokens in the conversation, as of the last answer
}

// New returns a Speaker for a process that runs pi in RPC mode. It reads the
// process's output from Open on, until the output ends.
func New(p child.Process) child.Speaker {
	return &speaker{process: p, inbox: newInbox()}
}

// queueBound is how long Open waits for the response to clear_queue. Old
// versions reject the command without an id.
const queueBound = 2 * time.Second

// Open implements child.Speaker. The session's id is the path of its file. A pi
// that stores no files has sessions that cannot be resumed.
func (s *speaker) Open(ctx context.Context, _ bellcord.Session, own string) (string, error) {
	s.inbox.listen()
	defer s.inbox.hush()
	go s.read() // until the process's output ends
	if _, err := s.request(ctx, "get_state", nil); err != nil {
		return "", fmt.Errorf("reading pi's state: %w", err)
	}
	if filepath.IsAbs(own) {
		// If pi cannot resume the session, it stays in its new one.
		_, err := s.request(ctx, "switch_session", map[string]any{"sessionPath": own})
		if err != nil && !errors.As(err, new(refusal)) {
			return "", fmt.Errorf("resuming pi's session: %w", err)
		}
	}
	quick, done := context.WithTimeout(ctx, queueBound)
	defer done()
	_, err := s.request(quick, "clear_queue", nil)
	s.clears = err == nil
	s.settles = s.settles || s.clears // clear_queue was added four versions after agent_settled
	data, err := s.request(ctx, "get_state", nil)
	if err != nil {
		return "", fmt.Errorf("reading pi's session: %w", err)
	}
	now := stateOf(data)
	s.model = now.Model.name()
	if now.SessionFile != "" {
		return now.SessionFile, nil
	}
	return now.SessionID, nil
}

// Close implements child.Speaker. The reading goroutine returns at the end of
// the process's output.
func (s *speaker) Close() { s.inbox.endInput() }

// read puts pi's records into the inbox until its output ends.
func (s *speaker) read() {
	for line := range lines(s.process.Out) {
		r, ok := decode(line)
		if ok && !s.inbox.put(r) && r.isDialog() {
			s.cancel(r.ID) // between turns no question can be shown
		}
	}
	s.inbox.endInput()
}

// sendCommand writes a command and returns its id.
func (s *speaker) sendCommand(command string, fields map[string]any) string {
	s.number++
	id := "bellcord-" + strconv.Itoa(s.number)
	record := map[string]any{"id": id, "type": command}
	for name, value := range fields {
		record[name] = value
	}
	s.writeRecord(record)
	return id
}

func (s *speaker) cancel(dialog string) {
	s.writeRecord(map[string]any{"type": "extension_ui_response", "id": dialog, "cancelled": true})
}

func (s *speaker) writeRecord(record map[string]any) {
	line, err := json.Marshal(record)
	if err != nil {
		return // cannot happen: strings, numbers and raw JSON from this package
	}
	s.process.In.Write(append(line, '\n'))
}

// refusal is the error in a failed response.
type refusal string

func (r refusal) Error() string { return string(r) }

// request sends a command and waits for its response. It must not be called
// during a turn. Dialogs that arrive in the meantime are cancelled.
func (s *speaker) request(ctx context.Context, command string, fields map[string]any) (json.RawMessage, error) {
	id := s.sendCommand(command, fields)
	for {
		records, ended := s.inbox.takeRecords()
		for i, r := range records {
			switch {
			case r.isDialog():
				s.cancel(r.ID)
			case r.Type == "response" && (r.ID == id || r.ID == "" && r.Command == command):
				s.inbox.back(records[i+1:])
				if !r.Success {
					return nil, refusal(r.Error)
				}
				return r.Data, nil
			}
		}
		if ended {
			return nil, child.ErrGone
		}
		select {
		case <-s.inbox.more:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
