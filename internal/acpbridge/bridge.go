// Package acpbridge connects an editor that speaks the Agent Client Protocol on
// stdio to a server that speaks it over WebSocket.
//
// If the connection is lost, the bridge opens another one, resumes the sessions
// after the last update that the editor got, and sends the requests again that
// have no response yet. A prompt has a turn id, so that it runs once; a cancel
// is sent until its arrival is confirmed.
package acpbridge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/websocket"
)

// Config configures a bridge.
type Config struct {
	// Dial opens a connection. An error with Final true is not retried.
	Dial func(context.Context) (*websocket.Conn, error)
	// Final reports whether an error of Dial is permanent, such as a refused
	// token; nil means that none is.
	Final func(error) bool
	In    io.Reader // from the editor
	Out   io.Writer // to the editor

	Workspace bool // new sessions work in a new directory on the server
	// StopOnDisconnect stops the turns of the sessions when the editor has
	// disconnected. Otherwise they continue.
	StopOnDisconnect bool

	Patience time.Duration // how long to reconnect before giving up (2 min)
	Logger   *slog.Logger
}

// MostMessage is the maximum size of a message from the server.
const MostMessage = 64 << 20

// Intervals of a bridge.
const (
	keepAlive    = 15 * time.Second // between pings
	pongTime     = 30 * time.Second
	firstDelay   = 100 * time.Millisecond // before the second attempt to connect
	longestDelay = 5 * time.Second
	writeTime    = time.Minute
	resumeTime   = 30 * time.Second // for the response to a resume
	withdrawTime = 2 * time.Second  // for the server to repeat an open question
	lastWords    = 12 * time.Second // for prompts to end after the editor has left
)

// message is a JSON-RPC message. Its params are kept as they are.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

func (m message) encode() []byte {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // all parts are valid JSON
	}
	return text
}

// bridge is a running bridge.
type bridge struct {
	Config
	out sync.Mutex // held while a line is written to the editor

	// mu protects the fields below. It is never held while something is written
	// to the network or to the editor.
	mu       sync.Mutex
	conn     *link           // nil while disconnected
	hello    json.RawMessage // the params of initialize, once it was answered
	sessions map[string]*session
	pending  []*pending           // requests of the editor without a response, in order
	asked    map[string]*question // requests of the server, by the id that the editor has
	answered []string             // ids of those that have an answer, the oldest first
	internal map[string]chan message
	lastID   int
	changed  chan struct{} // closed and replaced when pending shrinks
}

// session is a session that the editor has open.
type session struct {
	params acp.Members // cwd, mcpServers and additionalDirectories
	seq    json.Number // position of the last update
	part   json.Number
}

// Run runs the bridge until the editor's input ends or the connection is lost
// for longer than Patience. It returns an error in the second case, and if the
// first connection fails.
func Run(ctx context.Context, c Config) error {
	if c.Patience == 0 {
		c.Patience = 2 * time.Minute
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Final == nil {
		c.Final = func(error) bool { return false }
	}
	b := &bridge{
		Config: c, sessions: map[string]*session{}, asked: map[string]*question{},
		internal: map[string]chan message{}, changed: make(chan struct{}),
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first, err := c.Dial(ctx)
	if err != nil {
		return fmt.Errorf("connect to the server: %w", err)
	}
	var work sync.WaitGroup
	defer work.Wait()
	over := make(chan error, 1)
	work.Go(func() { over <- b.keepConnected(ctx, first) })
	left := make(chan error, 1)
	go func() { left <- b.readEditor() }() // may outlive Run: a read of stdin cannot be ended
	select {
	case err = <-over:
		b.failPending(err)
		return err
	case err = <-left:
	}
	b.finish(ctx)
	cancel(errLeft)
	return errors.Join(err, ignore(<-over))
}

// errLeft means that the editor has closed its end.
var errLeft = errors.New("the editor has left")

func ignore(err error) error {
	if errors.Is(err, errLeft) {
		return nil
	}
	return err
}

// keepConnected serves one connection after the other. It returns when ctx ends
// or no connection can be opened.
func (b *bridge) keepConnected(ctx context.Context, conn *websocket.Conn) error {
	for {
		err := b.serve(ctx, conn)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b.Logger.Warn("connection to the server lost; reconnecting", "err", err)
		if conn, err = b.redial(ctx); err != nil {
			return err
		}
	}
}

// redial opens a connection within Patience.
func (b *bridge) redial(ctx context.Context) (*websocket.Conn, error) {
	bounded, done := context.WithTimeout(ctx, b.Patience)
	defer done()
	delay := firstDelay
	for {
		conn, err := b.Dial(bounded)
		switch {
		case err == nil:
			return conn, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case b.Final(err) || bounded.Err() != nil:
			return nil, fmt.Errorf("the connection to the server was lost, and the server did not accept another within %s: %w", b.Patience, err)
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-bounded.Done():
		}
		timer.Stop()
		delay = min(2*delay, longestDelay)
	}
}

// serve reads from a connection until it ends.
func (b *bridge) serve(ctx context.Context, conn *websocket.Conn) error {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	defer conn.Cut()
	to := newLink(conn)
	work.Go(func() { to.write(ctx) })
	work.Go(func() {
		<-ctx.Done()
		if errors.Is(context.Cause(ctx), errLeft) {
			conn.Close(websocket.Normal, "the editor has left")
		}
	})
	work.Go(func() { b.ping(ctx, conn) })
	work.Go(func() {
		if err := b.restore(ctx, to); err != nil {
			b.Logger.Warn("resuming the sessions failed", "err", err)
			conn.Cut()
		}
	})
	defer b.disconnected(to)
	for {
		text, _, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		b.fromServer(to, text)
	}
}

// ping ends a connection whose server does not answer.
func (b *bridge) ping(ctx context.Context, conn *websocket.Conn) {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		bounded, done := context.WithTimeout(ctx, pongTime)
		err := conn.Ping(bounded)
		done()
		if err != nil {
			conn.Cut()
			return
		}
	}
}

// disconnected fails the requests of the bridge on a lost connection.
func (b *bridge) disconnected(conn *link) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == conn {
		b.conn = nil
	}
	for id, response := range b.internal {
		close(response)
		delete(b.internal, id)
	}
}

// toEditor writes a line.
func (b *bridge) toEditor(text []byte) {
	b.out.Lock()
	defer b.out.Unlock()
	if _, err := b.Out.Write(append(text, '\n')); err != nil {
		b.Logger.Debug("the editor does not read", "err", err)
	}
}

// readEditor reads lines until the input ends.
func (b *bridge) readEditor() error {
	lines := bufio.NewScanner(b.In)
	lines.Buffer(nil, MostMessage)
	for lines.Scan() {
		b.fromEditor(lines.Bytes())
	}
	return lines.Err()
}

// newIDLocked returns an id for a request of the bridge.
func (b *bridge) newIDLocked() json.RawMessage {
	b.lastID++
	return json.RawMessage(strconv.Quote("bellcord:" + strconv.Itoa(b.lastID)))
}

// finish waits, after the editor has left, until every cancel has arrived and
// everything else was written. With StopOnDisconnect it first cancels all prompts
// and waits for their end.
func (b *bridge) finish(ctx context.Context) {
	ctx, done := context.WithTimeout(ctx, lastWords)
	defer done()
	if b.StopOnDisconnect {
		for _, id := range b.prompting() {
			b.cancel(id)
		}
	}
	for {
		b.mu.Lock()
		waits, changed, conn := false, b.changed, b.conn
		for _, p := range b.pending {
			waits = waits || p.isCancel() || b.StopOnDisconnect && p.isPrompt()
		}
		b.mu.Unlock()
		if !waits {
			if conn != nil {
				conn.flush(ctx)
			}
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
