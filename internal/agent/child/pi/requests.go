package pi

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"sync"

	"github.com/bellcord/bellcord/internal/agent/child"
)

// requests contains the commands outside of turns whose responses have not
// arrived. Commands of a turn are not among them: the turn handles their
// responses in order with pi's events.
type requests struct {
	mu      sync.Mutex
	waiting map[string]request // by id
	ended   bool
}

type request struct {
	command  string
	response chan record // closed if no response can arrive
}

// addRequest registers a command before it is sent.
func (q *requests) addRequest(id, command string) request {
	r := request{command, make(chan record, 1)}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		close(r.response)
		return r
	}
	if q.waiting == nil {
		q.waiting = map[string]request{}
	}
	q.waiting[id] = r
	return r
}

func (q *requests) removeRequest(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.waiting, id)
}

// deliver passes a response to the command that waits for it. It reports whether
// there is one. Versions before 0.79.7 reject an unknown command without its id.
func (q *requests) deliver(r record) bool {
	if r.Type != "response" {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	id := r.ID
	for other, one := range q.waiting {
		if id == "" && one.command == r.Command {
			id = other
		}
	}
	one, waits := q.waiting[id]
	if !waits {
		return false
	}
	delete(q.waiting, id)
	one.response <- r
	return true
}

// end fails all commands: no more responses will arrive.
func (q *requests) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	for _, one := range q.waiting {
		close(one.response)
	}
	q.waiting = nil
}

// refusal is the error in a failed response.
type refusal string

func (r refusal) Error() string { return string(r) }

func refused(err error) bool { return errors.As(err, new(refusal)) }

// request sends a command and waits for its response. It does not disturb a turn
// that is running.
func (s *speaker) request(ctx context.Context, command string, fields map[string]any) (json.RawMessage, error) {
	id := s.nextID()
	sent := s.requests.addRequest(id, command)
	defer s.requests.removeRequest(id)
	s.writeCommand(id, command, fields)
	select {
	case r, came := <-sent.response:
		switch {
		case !came:
			return nil, child.ErrGone
		case !r.Success:
			return nil, refusal(r.Error)
		}
		return r.Data, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// state returns pi's state.
func (s *speaker) state(ctx context.Context) (state, error) {
	data, err := s.request(ctx, "get_state", nil)
	return stateOf(data), err
}

// sendCommand writes a command of a turn and returns its id. The response is
// put into the inbox.
func (s *speaker) sendCommand(command string, fields map[string]any) string {
	id := s.nextID()
	s.writeCommand(id, command, fields)
	return id
}

func (s *speaker) nextID() string { return "bellcord-" + strconv.FormatInt(s.number.Add(1), 10) }

func (s *speaker) writeCommand(id, command string, fields map[string]any) {
	record := map[string]any{"id": id, "type": command}
	maps.Copy(record, fields)
	s.writeRecord(record)
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
