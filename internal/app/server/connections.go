package server

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// connections limits the open connections of a server, so that file
// descriptors are left for the store, the turns and their processes. A new
// connection is always accepted, because it may carry a stop. If that exceeds
// the limit, another connection is closed: the oldest idle one, otherwise the
// oldest without a request, otherwise the oldest. Viewers reconnect, and a
// closed stream stops no turn.
type connections struct {
	most int
	log  *slog.Logger

	mu     sync.Mutex
	open   map[net.Conn]connection
	warned time.Time
}

type connection struct {
	state http.ConnState
	since time.Time
}

// mostConnections returns the limit of connections: half of the file
// descriptors.
func mostConnections(descriptors int) int { return max(16, descriptors/2) }

// mostViewers returns the limit of viewers: the configured one, but at most
// three quarters of the connections.
func mostViewers(configured, descriptors int) int {
	if descriptors == 0 {
		return configured
	}
	fit := mostConnections(descriptors) / 4 * 3
	if configured < 0 || configured > fit {
		return fit
	}
	return configured
}

// newConnections returns nil if the limit of file descriptors is unknown.
func newConnections(descriptors int, log *slog.Logger) *connections {
	if descriptors == 0 {
		return nil
	}
	return &connections{most: mostConnections(descriptors), log: log, open: map[net.Conn]connection{}}
}

// changed implements http.Server.ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(c.open, conn)
		return
	}
	c.open[conn] = connection{state, time.Now()}
	if state != http.StateNew || len(c.open) <= c.most {
		return
	}
	victim := c.victim(conn)
	delete(c.open, victim)
	go victim.Close() //nolint:errcheck // a TLS connection may take its time to close
	if time.Since(c.warned) > time.Minute {
		c.warned = time.Now()
		c.log.Warn("too many connections; closing old ones to accept new ones; raise the limit of open files (ulimit -n)", "most", c.most)
	}
}

// victim returns the connection to close for a new one. The caller holds mu.
func (c *connections) victim(fresh net.Conn) net.Conn {
	rank := map[http.ConnState]int{http.StateIdle: 0, http.StateNew: 1, http.StateActive: 2}
	var found net.Conn
	for conn, is := range c.open {
		if conn == fresh {
			continue
		}
		best := c.open[found]
		if found == nil || rank[is.state] < rank[best.state] || rank[is.state] == rank[best.state] && is.since.Before(best.since) {
			found = conn
		}
	}
	return found
}
