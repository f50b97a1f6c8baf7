package acpnet

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	iacp "github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// streams routes the messages of an HTTP connection to its streams, and buffers
// them until the client reads them. It implements jsonrpc.Output.
//
// A response goes to the stream of its request: that of the session in the
// POST's header, or else that of the connection. The response to session/load
// goes to the connection's stream, after the updates that are queued on the
// session's stream have been written. Requests and notifications about a session
// go to its stream.
type streams struct {
	overflow func() // called once when too much is buffered

	mu              sync.Mutex
	all             map[string]*stream       // by session; "" is the connection's
	routes          map[string]route         // of responses, by request id
	requestSessions map[string]string        // session of the server's requests, by their id
	captured        map[string]chan<- []byte // responses that go to a handler, by request id
	size            int                      // unwritten bytes of all streams
	moved           chan struct{}            // closed and replaced when something changes
	failed          bool
}

// stream is a queue of messages with at most one reader.
type stream struct {
	session string
	queue   [][]byte
	held    [][]byte // for the connection's stream, once the queue is written
	busy    bool     // messages are being written
	reader  bool
	lost    bool // the reader was lost: messages are dropped until the client reopens the session
}

// route is the way of a response: the session whose stream carries it, and the
// session whose updates come first.
type route struct{ session, behind string }

func newStreams(overflow func()) *streams {
	return &streams{
		overflow: overflow, moved: make(chan struct{}), all: map[string]*stream{"": {}},
		routes: map[string]route{}, requestSessions: map[string]string{}, captured: map[string]chan<- []byte{},
	}
}

// capture returns a channel for the response to a request.
func (s *streams) capture(id json.RawMessage) <-chan []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	response := make(chan []byte, 1)
	s.captured[string(id)] = response
	return response
}

// expect routes the response to a request. A notification has none.
func (s *streams) expect(id json.RawMessage, way route) {
	if len(id) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.routes[string(id)] = way
}

// askedOn returns the session whose stream carried a request of the server, and
// "" for that of the connection.
func (s *streams) askedOn(id json.RawMessage) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requestSessions[string(id)]
}

// outgoing is the part of a message that its route depends on.
type outgoing struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string          `json:"sessionId"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// Put implements jsonrpc.Output.
func (s *streams) Put(message []byte) {
	var m outgoing
	if json.Unmarshal(message, &m) != nil {
		return // the connection encodes valid messages only
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if response := s.captured[string(m.ID)]; m.Method == "" && response != nil {
		delete(s.captured, string(m.ID))
		response <- message // has a buffer of one
		return
	}
	way := s.routeLocked(m)
	to := s.streamLocked(way.session)
	if s.failed || to == nil || to.lost {
		return
	}
	if before := s.all[way.behind]; way.behind != "" && before != nil && before.reader && (before.busy || len(before.queue) > 0) {
		before.held = append(before.held, message)
	} else {
		to.queue = append(to.queue, message)
	}
	if s.size += len(message); s.size > mostBuffered {
		s.failLocked()
		s.overflow()
	}
	s.changedLocked()
}

// routeLocked returns the way of a message.
func (s *streams) routeLocked(m outgoing) route {
	switch {
	case m.Method == "":
		way := s.routes[string(m.ID)]
		delete(s.routes, string(m.ID))
		return way
	case m.Method == iacp.MethodCancelRequest: // in order with the request that it withdraws
		session := s.requestSessions[string(m.Params.RequestID)]
		delete(s.requestSessions, string(m.Params.RequestID))
		return route{session: session}
	case len(m.ID) > 0:
		s.requestSessions[string(m.ID)] = m.Params.SessionID
	}
	return route{session: m.Params.SessionID}
}

// streamLocked returns the stream of a session. It returns nil if the
// connection has too many.
func (s *streams) streamLocked(session string) *stream {
	found := s.all[session]
	if found == nil && len(s.all) < mostStreams {
		found = &stream{session: session}
		s.all[session] = found
	}
	return found
}

func (s *streams) changedLocked() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// attach makes the caller the reader of a stream.
func (s *streams) attach(session string) (*stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.streamLocked(session)
	switch {
	case s.failed:
		return nil, errEnded
	case to == nil:
		return nil, &statusError{http.StatusTooManyRequests, "the connection has too many sessions"}
	case to.reader:
		return nil, &statusError{http.StatusConflict, "the stream already has a reader"}
	}
	to.reader, to.lost = true, false
	return to, nil
}

// lose drops the messages of a session's stream, because its reader is gone.
// Messages of the connection's stream are kept for the next reader.
func (s *streams) lose(from *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropLocked(from)
	s.releaseHeldLocked(from)
	from.lost = true
}

// releaseHeldLocked moves the held messages to the connection's stream.
func (s *streams) releaseHeldLocked(from *stream) {
	to := s.all[""]
	to.queue = append(to.queue, from.held...)
	from.held = nil
}

// release lets the next reader attach to a stream. A lost stream is removed.
func (s *streams) release(from *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from.reader = false
	if from.lost {
		delete(s.all, from.session)
	}
}

// reopen buffers the messages of a session again, for the next reader.
func (s *streams) reopen(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.all[session]; of != nil {
		of.lost = false
	}
}

func (s *streams) dropLocked(of *stream) {
	for _, message := range of.queue {
		s.size -= len(message)
	}
	of.queue = nil
	s.changedLocked()
}

// take returns the messages of a stream, or waits for one.
func (s *streams) take(ctx context.Context, from *stream) ([][]byte, error) {
	for {
		s.mu.Lock()
		messages, failed, moved := from.queue, s.failed, s.moved
		from.queue, from.busy = nil, len(messages) > 0
		s.mu.Unlock()
		switch {
		case len(messages) > 0:
			return messages, nil
		case failed:
			return nil, jsonrpc.ErrClosed
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// written counts bytes that take returned and that are written.
func (s *streams) written(from *stream, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size -= bytes
	if from.busy = false; len(from.queue) == 0 {
		s.releaseHeldLocked(from)
	}
	s.changedLocked()
}

// attached returns the number of streams with a reader.
func (s *streams) attached() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all {
		if one.reader {
			n++
		}
	}
	return n
}

// fail drops all messages and ends all readers.
func (s *streams) fail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failLocked()
}

func (s *streams) failLocked() {
	if s.failed {
		return
	}
	s.failed = true
	for _, one := range s.all {
		one.queue = nil
	}
	s.size = 0
	s.changedLocked()
}

// WaitWritable implements jsonrpc.Output.
func (s *streams) WaitWritable(ctx context.Context) error {
	for {
		s.mu.Lock()
		ready, moved := s.failed || s.size < roomy, s.moved
		s.mu.Unlock()
		if ready {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
