package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// web is the wire to a server over streamable HTTP: the SDK's connection, with
// messages filtered by filter. The HTTP request of a call lives as long as
// the call's context.
//
// The SDK passes the negotiated version of the protocol to its connection by an
// unexported method, which this wrapper hides: readVersion and agreed replace it. The
// stream for unsolicited messages is disabled on purpose.
type web struct {
	sdk.Connection
	filter  *filter
	post    *headerTransport
	greeted atomic.Pointer[jsonrpc.ID] // ID of the request "initialize"
	replies chan struct{}              // contains one element per reply being sent
	once    sync.Once
	end     chan struct{}
}

const replyBound = 5 * time.Second

func newWeb(to *url.URL, headers map[string]string, d *filter) (*web, error) {
	post := newHeaderTransport(to, headers)
	transport := &sdk.StreamableClientTransport{
		Endpoint:             to.String(),
		HTTPClient:           &http.Client{Transport: post, CheckRedirect: post.sameHost},
		DisableStandaloneSSE: true,
		MaxEventSize:         longestLine,
	}
	conn, err := transport.Connect(context.Background())
	if err != nil {
		return nil, err
	}
	return &web{
		Connection: conn, filter: d, post: post,
		replies: make(chan struct{}, 4), end: make(chan struct{}),
	}, nil
}

// Read returns the next message for the SDK.
func (w *web) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := w.Connection.Read(ctx)
		if err != nil {
			return nil, err
		}
		w.readVersion(msg)
		pass, reply := w.filter.comes(msg)
		if pass {
			return msg, nil
		}
		w.sendReply(reply)
	}
}

// readVersion reads the version of the protocol from the response to "initialize":
// the next message must already contain it.
func (w *web) readVersion(msg jsonrpc.Message) {
	id := w.greeted.Load()
	resp, ok := msg.(*jsonrpc.Response)
	if id == nil || !ok || resp.ID != *id {
		return
	}
	var result struct {
		Version string `json:"protocolVersion"`
	}
	if json.Unmarshal(resp.Result, &result) == nil {
		w.agreed(result.Version)
	}
}

func (w *web) agreed(version string) { w.post.version.Store(&version) }

// sendReply sends a reply in the background. If too many replies are being
// sent, it drops the reply.
func (w *web) sendReply(reply *jsonrpc.Response) {
	if reply == nil {
		return
	}
	select {
	case w.replies <- struct{}{}:
	default:
		return
	}
	go func() {
		defer func() { <-w.replies }()
		ctx, done := context.WithTimeout(context.Background(), replyBound)
		defer done()
		_ = w.Connection.Write(ctx, reply)
	}()
}

// Write posts the message. For a call it returns when the response begins.
func (w *web) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "initialize" {
		w.greeted.Store(&req.ID)
	}
	e, cancels := w.filter.leaves(ctx, msg)
	if e != nil && !cancels && !e.markSent() {
		return context.Canceled
	}
	if cancels {
		ctx = context.WithValue(ctx, courtesyKey{}, true)
	}
	err := w.Connection.Write(ctx, msg)
	var failed *net.OpError
	switch {
	case e == nil:
	case cancels:
		e.markCancelSent()
	case errors.As(err, &failed) && failed.Op == "dial":
		e.unsend()
	}
	return err
}

// Close ends the session with the server, and does not wait for that.
func (w *web) Close() error {
	w.once.Do(func() {
		go func() {
			defer close(w.end)
			_ = w.Connection.Close()
			w.post.CloseIdleConnections()
		}()
	})
	return nil
}

func (w *web) gone() <-chan struct{} { return w.end }
