package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is one run of a server, from its start until its process or connection is
// gone.
type link struct {
	server *server
	filter *filter

	ready   chan struct{} // closed when the server is ready or err is set
	err     error
	session *sdk.ClientSession

	once sync.Once
	down chan struct{} // closed when no more requests can be sent
	gone chan struct{} // closed when the process or connection is gone, and the previous link too

	listing listing
}

// wire is a connection for the SDK. Close does not block; gone returns a
// channel that is closed when everything behind the connection has ended. After
// Close, every Read and Write returns in bounded time.
type wire interface {
	sdk.Connection
	agreed(version string) // the version of the protocol
	gone() <-chan struct{}
}

func newLink(s *server) *link {
	l := &link{
		server: s,
		ready:  make(chan struct{}),
		down:   make(chan struct{}),
		gone:   make(chan struct{}),
	}
	l.filter = newFilter()
	return l
}

// startClosing starts to close the link, and does not wait.
func (l *link) startClosing() { l.once.Do(func() { close(l.down) }) }

func (l *link) ended() bool {
	select {
	case <-l.down:
		return true
	default:
		return false
	}
}

// live starts the server after the wait, and returns when it has ended. l.gone
// is closed only after the previous link is gone too, so that Close waits for
// all of them.
func (l *link) live(wait time.Duration, before <-chan struct{}) {
	defer close(l.gone)
	if before != nil {
		defer func() { <-before }()
	}
	w, err := l.open(wait)
	if err == nil {
		closing := make(chan struct{})
		go func() { // only this goroutine ends the server
			defer close(closing)
			<-l.down
			_ = w.Close()
			<-w.gone()
		}()
		defer func() { <-closing }()
		l.session, err = l.greet(w)
	}
	l.err = err
	if err != nil {
		l.startClosing()
	}
	close(l.ready)
	if l.session != nil {
		_ = l.session.Wait() // until either side closes the connection
		l.startClosing()
		_ = l.session.Close() // releases resources of the SDK
	}
}

// open opens the connection: it starts the process, or prepares the HTTP
// client.
func (l *link) open(wait time.Duration) (wire, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.down:
		return nil, errClosed
	}
	s := l.server
	switch {
	case s.URL != "":
		to, err := url.Parse(s.URL)
		if err != nil {
			return nil, err
		}
		return newWeb(to, s.Headers, l.filter)
	case len(s.Command) > 0:
		p, err := s.spawn(s.Server)
		if err != nil {
			return nil, fmt.Errorf("starting the server: %w", err)
		}
		return newPipe(p, l.filter), nil
	}
	return nil, errors.New("has neither a command nor a url")
}

// discovery limits the request that checks whether a server supports the 2026
// protocol, which has no handshake. An older server may not answer a method
// that it does not support; the SDK then uses the older handshake.
const discovery = 5 * time.Second

// greet connects the SDK to the server and negotiates the protocol version,
// within the limit for the server's start.
func (l *link) greet(w wire) (*sdk.ClientSession, error) {
	bound := l.server.opts.Start
	ctx, done := context.WithTimeoutCause(context.Background(), bound, fmt.Errorf("did not start within %v", bound))
	defer done()
	stop := context.AfterFunc(ctx, l.startClosing) // not everything that the SDK waits for here ends with ctx
	defer stop()
	opts := &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{ // no roots, no sampling
			Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{},
		}},
		ElicitationHandler: l.elicit,
		// Otherwise the SDK repeats a call up to ten times.
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	}
	if l.server.URL == "" { // over HTTP the SDK would wait for a stream without a limit; there the list is requested each time
		opts.ToolListChangedHandler = func(context.Context, *sdk.ToolListChangedRequest) {
			l.filter.forwarded.Store(false)
			l.listing.changed.Add(1)
		}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "bellcord", Version: l.server.opts.Version}, opts)
	client.AddSendingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "server/discover" {
				limited, done := context.WithTimeout(ctx, discovery)
				defer done()
				ctx = limited
			}
			return next(ctx, method, req)
		}
	})
	session, err := client.Connect(ctx, ready{w}, nil)
	switch {
	case err == nil:
		w.agreed(session.InitializeResult().ProtocolVersion)
		return session, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case l.ended():
		return nil, errClosed
	}
	return nil, fmt.Errorf("starting the server: %w", err)
}

// ready is a transport with a connection that is already open.
type ready struct{ wire }

func (r ready) Connect(context.Context) (sdk.Connection, error) { return r.wire, nil }
