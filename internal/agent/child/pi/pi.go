// Package pi speaks pi's RPC protocol: JSON records, one a line, over the stdin
// and stdout of `pi --mode rpc`.
//
// All versions from 0.57 on are spoken to in one way. Text is put together from
// deltas, which both forms of message_update have. A run is over when pi says
// that it has settled; versions that do not say so are asked for their state
// when they say that the agent has ended.
//
// A stop is an abort, and pi's word is the response to it, not the end of the
// agent: in the pause before a retry there is no second one. An abort that
// reaches pi before it has accepted the prompt is lost, so a stop that comes
// this early waits for the acceptance. After the word pi is asked whether it is
// idle, and told again until it is.
//
// What a person says is never taken for one of pi's own commands, skills or
// templates: pi looks for a slash in the very first place, so a blank is put
// before one. No text that a person did not mean as a command reaches an
// extension; the model is given the blank, and no model minds.
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

// speaker is a child.Speaker. Its fields belong to whoever calls Open and Turn,
// which are called one after the other; the inbox is shared with the reader.
type speaker struct {
	process child.Process
	inbox   inbox
	number  int // of the last command

	clears  bool   // it knows clear_queue
	settles bool   // it says when it has settled
	model   string // provider/model of the next request, as far as we know
	context int64  // tokens of the conversation, as of the last answer
}

// New returns a speaker for a process that runs pi in RPC mode. It reads the
// process's output from Open on, until the output ends.
func New(p child.Process) child.Speaker {
	return &speaker{process: p, inbox: newInbox()}
}

// queueBound is how long a pi may take to say that it does not know clear_queue.
// Old ones leave out the id, which is no reason to wait for them.
const queueBound = 2 * time.Second

// Open implements child.Speaker. The session's id is the path of its file; a pi
// that keeps no files has sessions that cannot be gone on with.
func (s *speaker) Open(ctx context.Context, _ bellcord.Session, own string) (string, error) {
	s.inbox.listen()
	defer s.inbox.hush()
	go s.read() // until the process's output ends
	if _, err := s.request(ctx, "get_state", nil); err != nil {
		return "", fmt.Errorf("reading pi's state: %w", err)
	}
	if filepath.IsAbs(own) {
		// A pi that cannot go on with it stays in the new session it has begun.
		_, err := s.request(ctx, "switch_session", map[string]any{"sessionPath": own})
		if err != nil && !errors.As(err, new(refusal)) {
			return "", fmt.Errorf("resuming pi's session: %w", err)
		}
	}
	quick, done := context.WithTimeout(ctx, queueBound)
	defer done()
	_, err := s.request(quick, "clear_queue", nil)
	s.clears = err == nil
	s.settles = s.settles || s.clears // it came four versions later
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

// Close implements child.Speaker. The reader ends with the process's output.
func (s *speaker) Close() { s.inbox.endInput() }

// read hands on what pi says until its output ends.
func (s *speaker) read() {
	for line := range lines(s.process.Out) {
		r, ok := decode(line)
		if ok && !s.inbox.put(r) && r.asks() {
			s.cancel(r.ID) // between turns nobody can be asked
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
		return // strings, numbers and raw JSON of our own making
	}
	s.process.In.Write(append(line, '\n'))
}

// refusal is what pi answers instead of a result.
type refusal string

func (r refusal) Error() string { return string(r) }

// request sends a command and waits for its response; only while no turn runs.
// Dialogs that come meanwhile are cancelled.
func (s *speaker) request(ctx context.Context, command string, fields map[string]any) (json.RawMessage, error) {
	id := s.sendCommand(command, fields)
	for {
		records, ended := s.inbox.takeRecords()
		for i, r := range records {
			switch {
			case r.asks():
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
