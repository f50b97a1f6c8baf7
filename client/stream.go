package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// Stream reads the events of a session as they happen. It is not safe for
// concurrent use.
type Stream struct {
	client  *Client
	session bellcord.SessionID
	after   int64
	last    int64         // the last event that the server had when the stream was opened
	opened  bool          // last is known
	pause   time.Duration // before the next attempt
	retry   time.Duration // the first pause, as the server requests it
	gaps    int           // consecutive attempts that skipped the same events
	lost    bool          // Lost has been called
	line    *connection

	// Lost, if not nil, is called when the server cannot be reached, once
	// until the next event arrives. Next continues to retry.
	Lost func(error)
}

// Events returns a stream of the events after the given sequence number. The
// caller must close it.
func (c *Client) Events(session bellcord.SessionID, after int64) *Stream {
	return &Stream{client: c, session: session, after: after, retry: shortest, pause: shortest}
}

const (
	shortest = 250 * time.Millisecond // shortest pause between attempts; pauses double
	longest  = 5 * time.Second
	silence  = 45 * time.Second // three heartbeats; then the connection is considered dead
	mostGaps = 3
)

// Next returns the next events, at least one, in order, without gaps or
// repetitions. It blocks until there are events. If the connection breaks, it
// reconnects after the last event, without a limit of attempts. It returns an
// error when ctx ends or the server rejects the request.
func (s *Stream) Next(ctx context.Context) ([]bellcord.Event, error) {
	for {
		ev, err := s.attempt(ctx)
		var refused *refusedError
		switch {
		case err == nil:
			s.after, s.gaps, s.lost, s.pause = ev.Seq, 0, false, s.retry
			return []bellcord.Event{ev}, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.As(err, &refused):
			return nil, refused.why
		}
		if s.Lost != nil && !s.lost {
			s.lost = true
			s.Lost(err)
		}
		if err := s.rest(ctx); err != nil {
			return nil, err
		}
	}
}

// AtEnd reports whether Next has returned all events that the server had when the
// stream was opened. It is false before the stream is connected.
func (s *Stream) AtEnd() bool { return s.opened && s.after >= s.last }

// Close closes the connection to the server.
func (s *Stream) Close() { s.hangUp() }

// refusedError is an error that another attempt would not change.
type refusedError struct{ why error }

func (e *refusedError) Error() string { return e.why.Error() }

// attempt returns the next event from the open connection, or from a new one.
// After an error, the connection is closed.
func (s *Stream) attempt(ctx context.Context) (ev bellcord.Event, err error) {
	if s.line == nil {
		s.line = newConnection()
	}
	defer context.AfterFunc(ctx, s.line.cut)()
	defer func() {
		if err != nil {
			s.hangUp()
		}
	}()
	if s.line.messages == nil {
		if err := s.connect(); err != nil {
			return ev, err
		}
	}
	for {
		m, err := s.line.messages.nextMessage()
		if s.line.messages.retry > 0 {
			s.retry = min(max(s.line.messages.retry, shortest), longest)
		}
		if err != nil {
			return ev, err
		}
		if m.kind == "problem" {
			return ev, ended(m.data)
		}
		if ev, err = decode(m); err != nil {
			return ev, &refusedError{err}
		}
		switch {
		case ev.Seq == s.after+1:
			return ev, nil
		case ev.Seq > s.after+1:
			return ev, s.gap(ev.Seq)
		}
	}
}

// gap returns an error for missing events. If the server skips them in
// mostGaps consecutive attempts, it does not have them, and the error is
// final.
func (s *Stream) gap(seq int64) error {
	err := fmt.Errorf("the server skipped the events between %d and %d", s.after, seq)
	if s.gaps++; s.gaps >= mostGaps {
		return &refusedError{err}
	}
	return err
}

func (s *Stream) connect() error {
	after := strconv.FormatInt(s.after, 10)
	r := request{path: session(s.session, "/events"), query: url.Values{"after": {after}}}
	req, err := http.NewRequestWithContext(s.line.ctx, http.MethodGet, s.client.url(r), http.NoBody)
	if err != nil {
		return &refusedError{err}
	}
	req.Header.Set("Accept", "text/event-stream")
	if s.after > 0 {
		req.Header.Set("Last-Event-ID", after)
	}
	res, err := s.client.do(req) //nolint:bodyclose // by hangUp
	if err != nil {
		return err
	}
	s.line.body = res.Body
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	switch status := res.StatusCode; {
	case status == http.StatusOK && kind == "text/event-stream":
		s.line.messages = newMessages(s.line, mostLine)
		if !s.opened { // without the header, all events count as new
			s.last, _ = strconv.ParseInt(res.Header.Get(api.LastEventHeader), 10, 64)
			s.opened = true
		}
		return nil
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= 500:
		return lasting(refusal(res)) // may succeed later
	case status/100 == 2:
		return &refusedError{fmt.Errorf("the server responded with %q instead of an event stream", kind)}
	}
	return &refusedError{refusal(res)}
}

// lasting returns the problem as a refusedError if another attempt would not
// change it.
func lasting(p *Problem) error {
	if errors.Is(p, bellcord.ErrDamaged) {
		return &refusedError{p}
	}
	return p
}

// ended returns the reason why the server ended a stream.
func ended(data []byte) error {
	p := &Problem{}
	if err := json.Unmarshal(data, p); err != nil {
		return &refusedError{err}
	}
	return lasting(p)
}

// rest waits before the next attempt: longer every time, and with a random
// part, so that clients of the same server do not reconnect at the same time.
func (s *Stream) rest(ctx context.Context) error {
	pause := min(s.pause+rand.N(s.pause/4), longest)
	s.pause = min(2*s.pause, longest)
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Stream) hangUp() {
	if s.line != nil {
		s.line.close()
		s.line = nil
	}
}

// decode decodes an event.
func decode(m message) (bellcord.Event, error) {
	var ev bellcord.Event
	if err := json.Unmarshal(m.data, &ev); err != nil {
		return bellcord.Event{}, fmt.Errorf("event %s: %w", m.id, err)
	}
	return ev, nil
}
