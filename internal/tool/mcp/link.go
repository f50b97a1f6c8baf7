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

// link is one life of a server: from its start to the moment it is gone.
type link struct {
	server *server
	desk   *desk

	ready   chan struct{} // closed when it is up, or err says why it is not
	err     error
	session *sdk.ClientSession

	once sync.Once
	down chan struct{} // closed when nothing can be asked of it any more
	gone chan struct{} // closed when nothing of it is left

	listing listing
}

// wire is a connection as the SDK wants it. Close does not block: gone says
// when all behind it is gone. Closing ends every Read and Write in time.
type wire interface {
	sdk.Connection
	agreed(version string) // of the protocol
	gone() <-chan struct{}
}

func newLink(s *server) *link {
	l := &link{
		server: s,
		ready:  make(chan struct{}),
		down:   make(chan struct{}),
		gone:   make(chan struct{}),
	}
	l.desk = newDesk()
	return l
}

// startClosing begins the end. It does not wait.
func (l *link) startClosing() { l.once.Do(func() { close(l.down) }) }

func (l *link) ended() bool {
	select {
	case <-l.down:
		return true
	default:
		return false
	}
}

// live starts the server after the wait and sees it to its end. It is gone
// when the life before it is gone too, so that Close misses none.
func (l *link) live(wait time.Duration, before <-chan struct{}) {
	defer close(l.gone)
	if before != nil {
		defer func() { <-before }()
	}
	w, err := l.open(wait)
	if err == nil {
		closing := make(chan struct{})
		go func() { // the one place that ends the server
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
		_ = l.session.Wait() // until it hangs up, or is hung up on
		l.startClosing()
		_ = l.session.Close() // ends what the SDK keeps
	}
}

// open makes the connection: by starting the process, or by saying where to.
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
		return newWeb(to, s.Headers, l.desk)
	case len(s.Command) > 0:
		p, err := s.spawn(s.Server)
		if err != nil {
			return nil, fmt.Errorf("starting the server: %w", err)
		}
		return newPipe(p, l.desk), nil
	}
	return nil, errors.New("has neither a command nor a url")
}

// discovery is how long a server may take to say whether it knows the protocol
// of 2026, in which nothing needs an answer first: one of before may be silent
// about what it does not know, and is then greeted in its own way.
const discovery = 5 * time.Second

// greet agrees with the server on how to talk, within the bound of its start.
func (l *link) greet(w wire) (*sdk.ClientSession, error) {
	bound := l.server.opts.Start
	ctx, done := context.WithTimeoutCause(context.Background(), bound, fmt.Errorf("did not start within %v", bound))
	defer done()
	stop := context.AfterFunc(ctx, l.startClosing) // not all that the SDK waits for here ends with ctx
	defer stop()
	opts := &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, // no roots, no sampling, no elicitation
		// Without this the SDK repeats a call by itself, up to ten times.
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	}
	if l.server.URL == "" { // over HTTP the SDK would wait for a stream without a bound; there the list is asked for each time
		opts.ToolListChangedHandler = func(context.Context, *sdk.ToolListChangedRequest) {
			l.desk.forwarded.Store(false)
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

// ready is a transport whose connection is there already.
type ready struct{ wire }

func (r ready) Connect(context.Context) (sdk.Connection, error) { return r.wire, nil }
