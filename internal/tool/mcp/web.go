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

// web is the wire to a server over streamable HTTP: the SDK's own, behind the
// desk. A call's request lives as long as the call's context.
//
// The SDK tells its own connection the agreed version of the protocol by a
// method that is not exported and so is lost here: learn and agreed stand in.
// Lost on purpose is the stream for messages that nobody asked for.
type web struct {
	sdk.Connection
	desk    *desk
	post    *courier
	greeted atomic.Pointer[jsonrpc.ID] // of the request "initialize"
	replies chan struct{}              // holds one for each reply on its way
	once    sync.Once
	end     chan struct{}
}

const replyBound = 5 * time.Second

func newWeb(to *url.URL, headers map[string]string, d *desk) (*web, error) {
	post := newCourier(to, headers)
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
		Connection: conn, desk: d, post: post,
		replies: make(chan struct{}, 4), end: make(chan struct{}),
	}, nil
}

// Read returns the next message that is for the SDK.
func (w *web) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := w.Connection.Read(ctx)
		if err != nil {
			return nil, err
		}
		w.learn(msg)
		pass, reply := w.desk.comes(msg)
		if pass {
			return msg, nil
		}
		w.sendReply(reply)
	}
}

// learn reads the version of the protocol from the answer to "initialize": the
// next message already has to carry it.
func (w *web) learn(msg jsonrpc.Message) {
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

// sendReply sends a reply in the background. A server with too many open
// requests gets none.
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

// Write posts the message, and for a call returns when the answer begins.
func (w *web) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "initialize" {
		w.greeted.Store(&req.ID)
	}
	e, cancels := w.desk.leaves(ctx, msg)
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

// Close says goodbye to the server, without waiting for it.
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
