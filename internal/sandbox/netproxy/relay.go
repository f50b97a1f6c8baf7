package netproxy

import (
	"bufio"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// activity is shared by the two connections of a relay.
type activity struct {
	last  atomic.Int64 // time of the last byte in either direction
	ended atomic.Bool  // reads fail from now on
}

func newActivity() *activity {
	a := new(activity)
	a.last.Store(time.Now().UnixNano())
	return a
}

// relayed is a connection on which reads and writes fail if nothing was sent in
// either direction for idleTimeout.
type relayed struct {
	net.Conn
	active *activity
}

func (r relayed) Read(p []byte) (int, error) {
	for {
		_ = r.SetReadDeadline(time.Now().Add(idleTimeout))
		if r.active.ended.Load() {
			return 0, net.ErrClosed
		}
		n, err := r.Conn.Read(p)
		if n > 0 {
			r.active.last.Store(time.Now().UnixNano())
		}
		idle := time.Since(time.Unix(0, r.active.last.Load())) >= idleTimeout
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || idle {
			return n, err
		}
	}
}

func (r relayed) Write(p []byte) (int, error) {
	_ = r.SetWriteDeadline(time.Now().Add(idleTimeout))
	return r.Conn.Write(p)
}

// endReads makes current and later reads fail.
func (r relayed) endReads() {
	r.active.ended.Store(true)
	_ = r.SetReadDeadline(time.Unix(1, 0))
}

// relay returns both connections of a relay. The client's buffer reads from the
// first one.
func (c *client) relay(to net.Conn) (down, up relayed) {
	active := newActivity()
	down, up = relayed{c.Conn, active}, relayed{to, active}
	c.limit.R = down
	return down, up
}

// tunnel answers CONNECT and copies bytes in both directions, until both have
// ended or one has failed.
func (c *client) tunnel(to net.Conn) {
	down, up := c.relay(to)
	if _, err := io.WriteString(down, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	copyBoth(down, c.in, up)
}

// copyBoth copies bytes in both directions until both have ended or one has
// failed. in reads from the connection down.
func copyBoth(down relayed, in io.Reader, up relayed) {
	var both sync.WaitGroup
	both.Go(func() { pass(up, in, down) })
	both.Go(func() { pass(down, up, up) })
	both.Wait()
}

// pass copies bytes to the end of from, and then ends this direction. If that is
// not possible, it closes both connections. source is the connection of from.
func pass(to relayed, from io.Reader, source relayed) {
	_, err := io.Copy(to, from)
	if half, ok := to.Conn.(halfCloser); err == nil && ok && half.CloseWrite() == nil {
		return
	}
	_ = to.Close()
	_ = source.Close()
}

// halfCloser is a TCP or UNIX connection.
type halfCloser interface{ CloseWrite() error }

// forward sends a plain request to the host, and the response to the client. It
// does not wait for the rest of the request's body after the response.
func (c *client) forward(to net.Conn, r *http.Request) {
	down, up := c.relay(to)
	if r.Header.Get("Expect") != "" && r.ProtoAtLeast(1, 1) {
		if _, err := io.WriteString(down, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return
		}
	}
	dropHopHeaders(r.Header)
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", "") // otherwise Write adds one
	}
	r.Close = true
	var sent sync.WaitGroup
	sent.Go(func() { _ = r.Write(up) })
	response, err := readResponse(up, r)
	if err == nil {
		dropHopHeaders(response.Header)
		response.Close = true
		if !r.ProtoAtLeast(1, 1) {
			response.TransferEncoding = nil
		}
		_ = response.Write(down)
		_ = response.Body.Close()
	}
	_ = to.Close()
	down.endReads()
	sent.Wait()
	if err != nil {
		c.answer(http.StatusBadGateway, "the host sent no valid response", "")
	}
}

// readResponse reads the header of the final response. Informational responses
// are skipped.
func readResponse(from io.Reader, r *http.Request) (*http.Response, error) {
	limit := &io.LimitedReader{R: from, N: mostResponseHeaderBytes}
	in := bufio.NewReader(limit)
	for {
		response, err := http.ReadResponse(in, r)
		if err != nil {
			return nil, err
		}
		if response.StatusCode == http.StatusSwitchingProtocols {
			return nil, errors.New("the host switched the protocol, which was not requested")
		}
		if response.StatusCode >= http.StatusOK {
			limit.N = math.MaxInt64
			return response, nil
		}
	}
}

// hopHeaders belong to one connection and are not passed on.
var hopHeaders = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authorization", "Proxy-Authenticate",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
}

func dropHopHeaders(h http.Header) {
	for _, list := range h.Values("Connection") {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopHeaders {
		h.Del(name)
	}
}
