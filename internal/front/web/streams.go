package web

import (
	"context"
	"errors"
	"sync"

	"github.com/bellcord/bellcord"
)

// errClosing means that turns are no longer accepted.
var errClosing = errors.New("the server is shutting down")

// streams contains the open event streams, so that they can be ended when the
// server closes or their session is deleted.
type streams struct {
	mu     sync.Mutex
	open   map[*viewer]context.CancelFunc
	closed bool
}

func (o *streams) addStream(v *viewer, end context.CancelFunc) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = map[*viewer]context.CancelFunc{}
	}
	o.open[v] = end
	return !o.closed
}

func (o *streams) removeStream(v *viewer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, v)
}

func (o *streams) closeAll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for _, end := range o.open {
		end()
	}
}

func (o *streams) ended() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

// endOf ends the streams of a deleted session.
func (o *streams) endOf(id bellcord.SessionID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for v, end := range o.open {
		if v.session == id {
			end()
		}
	}
}
