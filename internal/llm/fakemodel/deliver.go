package fakemodel

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/piped"
)

// watch records the time at which the client disconnects, even while the
// handler is blocked in a write. The returned function ends the watch and
// leaves no goroutine running.
func (x *exchange) watch() func() {
	done := make(chan struct{})
	stop := context.AfterFunc(x.r.Context(), func() {
		defer close(done)
		x.clientLeft()
	})
	return func() {
		if !stop() {
			<-done
		} else if x.r.Context().Err() != nil { // the handler noticed it before the watch did
			x.clientLeft()
		}
	}
}

func (x *exchange) clientLeft() {
	if piped.Closing(x.r) {
		return
	}
	x.journal.update(x.entry, func(q *Request) {
		if q.Finished.IsZero() && q.Aborted.IsZero() {
			q.Aborted = time.Now()
		}
	})
}

// head sends the status and headers with the first bytes of the body.
func (x *exchange) head(status int, contentType string) {
	x.journal.update(x.entry, func(q *Request) {
		q.FirstByte, q.Status = time.Now(), status
	})
	x.w.Header().Set("Content-Type", contentType)
	x.w.WriteHeader(status)
}

// deliverPiece sends one piece of the body. The piece is recorded before it is
// sent, because the client may read the records as soon as it has the piece.
// The record is undone if the piece could not be delivered.
func (x *exchange) deliverPiece(piece []byte, text string, last bool) error {
	if err := x.r.Context().Err(); err != nil {
		return err
	}
	truncated := x.left >= 0 && len(piece) > x.left
	if truncated {
		piece, text = piece[:x.left], ""
	}
	if x.left >= 0 {
		x.left -= len(piece)
	}
	x.journal.update(x.entry, func(q *Request) {
		q.Sent += text
		if (last || truncated && !x.hangs) && q.Aborted.IsZero() {
			q.Finished = time.Now()
		}
	})
	_, err := x.w.Write(piece) //nolint:gosec // G705: it is JSON or an event stream by its type, never a page
	if err == nil {
		err = x.flush()
	}
	if err != nil {
		x.undelivered(text)
		return fmt.Errorf("deliver the reply: %w", err)
	}
	switch {
	case truncated && x.hangs:
		return x.hang()
	case truncated:
		return errTruncated
	}
	return nil
}

func (x *exchange) flush() error {
	err := http.NewResponseController(x.w).Flush()
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// undelivered corrects the record after a broken connection.
func (x *exchange) undelivered(text string) {
	closing := piped.Closing(x.r)
	x.journal.update(x.entry, func(q *Request) {
		q.Sent = strings.TrimSuffix(q.Sent, text)
		q.Finished = time.Time{}
		if q.Aborted.IsZero() && !closing {
			q.Aborted = time.Now()
		}
	})
}

// brokenOff records that the script ended the reply before its regular end.
func (x *exchange) brokenOff() {
	x.journal.update(x.entry, func(q *Request) {
		if q.Aborted.IsZero() {
			q.Finished = time.Now()
		}
	})
}

// pause waits for d, or until the client disconnects.
func (x *exchange) pause(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-x.r.Context().Done():
		return x.r.Context().Err()
	}
}

// hang waits until the client disconnects.
func (x *exchange) hang() error {
	<-x.r.Context().Done()
	return x.r.Context().Err()
}
