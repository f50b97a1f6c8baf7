package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/auth"
)

// events has the operation that streams the events of a session.
type events struct {
	views
	problemWriter
	door                       *auth.Door
	viewers                    *crowd
	streams                    *streams
	watched                    *watched
	heartbeat, retry, patience time.Duration
}

func (e *events) register(o *operations) {
	op := route("GET /v1/sessions/{session}/events", "watch-session", bellcord.ScopeRead,
		"Stream a session's events as server-sent events: recorded ones first, then live")
	op.Responses = map[string]*huma.Response{"200": {
		Description: "A stream of events; the id of each is its sequence number. An event is sent only once it is durable. " +
			"If the server cannot continue the stream, it ends with an event of type problem.",
		Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
			Type: huma.TypeString, Description: "The data of each server-sent event is the JSON of an Event.",
			Extensions: map[string]any{
				"contentMediaType": "application/json",
				"contentSchema":    eventSchema(o.api.OpenAPI().Components.Schemas),
			},
		}}},
	}}
	addResponse(o, op, lookUp(o.session, e.stream))
}

type eventsRequest struct {
	SessionPath
	After int64  `query:"after" minimum:"0" doc:"return only events after this sequence number"`
	Last  string `header:"Last-Event-ID" doc:"same as after; browsers send it when they reconnect"`
}

func (e *events) stream(ctx context.Context, found bellcord.Session, in *eventsRequest) (*huma.StreamResponse, error) {
	if e.streams.ended() {
		return nil, errClosing
	}
	after := in.After
	if in.Last != "" {
		var err error
		if after, err = strconv.ParseInt(in.Last, 10, 64); err != nil || after < 0 {
			return nil, badInput("Last-Event-ID %q: must be a sequence number", in.Last)
		}
	}
	last, err := e.reader.Tail(ctx, found.ID)
	if err != nil {
		return nil, err
	} else if after > last {
		return nil, badInput("sequence number %d is past the end of the session's log, %d", after, last)
	}
	leave, err := e.viewers.admit(caller(ctx).Owner)
	if err != nil {
		return nil, err
	}
	cursor, err := e.reader.Events(ctx, found.ID, after)
	if err != nil {
		leave()
		return nil, err
	}
	var first []bellcord.Event // read before the status is sent, so that an unreadable log is reported as an error
	if after < last {
		if first, err = cursor.Next(ctx); err != nil {
			cursor.Close()
			leave()
			return nil, err
		}
	}
	user := caller(ctx)
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer leave()
		defer cursor.Close()
		r, w := humago.Unwrap(hc)
		e.viewers.changed(1)
		defer e.viewers.changed(-1)
		e.watched.arrive(found.ID)
		defer e.watched.removeViewer(found.ID)
		v := viewer{
			user: user, session: found.ID, last: last, w: w, control: http.NewResponseController(w), patience: e.patience,
		}
		if err := e.follow(r.Context(), &v, first, cursor); err != nil && r.Context().Err() == nil {
			e.streamFailed(&v, cursor.After(), err)
		}
	}}, nil
}

// streamFailed ends a stream. If the server is at fault, for example because an
// event cannot be read, the error is logged and sent as the last message:
// otherwise the stream would appear complete.
func (e *events) streamFailed(v *viewer, after int64, err error) {
	p := e.problem(err)
	if v.failed || p.Status < http.StatusInternalServerError || errors.Is(err, errClosing) ||
		errors.Is(err, bellcord.ErrClosed) || errors.Is(err, context.Canceled) {
		e.logger.Debug("event stream ended", "session", v.session, "after", after, "err", err)
		return
	}
	e.logger.Error("event stream failed", "session", v.session, "after", after, "err", err)
	if err := v.problem(p); err != nil {
		e.logger.Debug("event stream ended", "session", v.session, "after", after, "err", err)
	}
}

// follow writes the log to the viewer until the viewer disconnects, the session
// is deleted, the viewer's token is revoked or expires, or the server closes.
// It checks the session and the token with every heartbeat. It never delays the turn: a viewer that does
// not read is disconnected.
func (e *events) follow(ctx context.Context, v *viewer, first []bellcord.Event, cursor *hub.Cursor) error {
	ctx, done := context.WithCancel(ctx)
	defer done()
	if !e.streams.addStream(v, done) {
		return errClosing
	}
	defer e.streams.removeStream(v)
	if err := v.open(e.retry); err != nil {
		return err
	}
	if err := v.writeEvents(first); err != nil {
		return err
	}
	for {
		beat, cancel := context.WithTimeout(ctx, e.heartbeat)
		err := untilBeat(beat, v, cursor)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		if _, err := e.reader.Session(ctx, v.session); err != nil {
			return err // another process may have deleted it
		}
		if err := e.door.Recheck(ctx, v.user); errors.Is(err, auth.ErrBadCredentials) {
			return err
		}
		if err := v.beat(); err != nil {
			return err
		}
	}
}

// untilBeat writes events until the next heartbeat is due.
func untilBeat(beat context.Context, v *viewer, cursor *hub.Cursor) error {
	for beat.Err() == nil { // a cursor with further events does not check it
		events, err := cursor.Next(beat)
		if err != nil {
			return err
		}
		if err := v.writeEvents(events); err != nil {
			return err
		}
	}
	return beat.Err()
}

// viewer writes events to one connection. Every write has a deadline, and no
// lock is held during a write.
type viewer struct {
	user     auth.Caller
	session  bellcord.SessionID
	last     int64 // the log's last event when the stream was opened
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	frame    []byte
	failed   bool // a write failed, so no further write is useful
}

func (v *viewer) open(retry time.Duration) error {
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // disables buffering in proxies
	h.Set(api.LastEventHeader, strconv.FormatInt(v.last, 10))
	v.w.WriteHeader(http.StatusOK)
	return v.writeData(fmt.Appendf(nil, "retry: %d\n\n", retry.Milliseconds()))
}

// problem writes the reason why the stream ends.
func (v *viewer) problem(p *problem) error {
	data, err := json.Marshal(p.ErrorModel)
	if err != nil {
		return err
	}
	return v.writeData(fmt.Appendf(nil, "event: problem\ndata: %s\n\n", data))
}

func (v *viewer) beat() error { return v.writeData([]byte(": \n\n")) }

// writeEvents writes the events in a single write.
func (v *viewer) writeEvents(events []bellcord.Event) error {
	if len(events) == 0 {
		return nil
	}
	v.frame = v.frame[:0]
	for _, ev := range events {
		data, err := ev.MarshalJSON()
		if err != nil {
			return err
		}
		v.frame = append(v.frame, "id: "...)
		v.frame = strconv.AppendInt(v.frame, ev.Seq, 10)
		v.frame = append(v.frame, "\ndata: "...)
		v.frame = append(v.frame, data...) // encoded JSON contains no line breaks
		v.frame = append(v.frame, "\n\n"...)
	}
	err := v.writeData(v.frame)
	if cap(v.frame) > mostFrame {
		v.frame = nil // do not keep the memory of a long replay
	}
	return err
}

// mostFrame is the size of the buffer that a viewer keeps between writes.
const mostFrame = 16 << 10

func (v *viewer) writeData(data []byte) (err error) {
	defer func() { v.failed = err != nil }()
	if err := v.control.SetWriteDeadline(time.Now().Add(v.patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := v.w.Write(data); err != nil {
		return err
	}
	return v.control.Flush()
}
