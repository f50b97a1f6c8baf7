// Package llmtest contains the suite about stops that every model provider must
// pass, and servers for its tests.
package llmtest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

// ErrStopped is the cause of the stops in these tests.
var ErrStopped = errors.New("stopped by the test")

// Provider describes the provider under test.
type Provider struct {
	// New returns a provider for the server at root, such as http://host. With
	// a nil client it uses its own.
	New     func(root string, client *http.Client) llm.Provider
	Opening string            // start of its streams
	Word    string            // an event with the text "word "
	Silent  map[string]string // additional scripts in which the model hangs forever
}

// Stops tests that a stop ends a request immediately, in every phase.
func Stops(t *testing.T, p Provider) {
	for name, prove := range map[string]func(*testing.T, Provider){
		"a stop ends the request in the same instant":              sameInstant,
		"a stop closes the socket in every phase":                  everyPhase,
		"a stop reaches the server also while emit is stuck":       emitStuck,
		"an emit that ends with the stop ends the request with it": emitEnds,
		"listing models is stopped the same way":                   listing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prove(t, p)
		})
	}
}

func ignore(bellcord.Body) error { return nil }

// same reports whether the error is the cause itself, not a wrapped one.
func same(err, want error) bool { return err == want } //nolint:errorlint // see above

func prompt(text string) llm.Request {
	return llm.Request{Model: "fake", Messages: []bellcord.Message{{Role: bellcord.RoleUser, Text: text}}}
}

// phases contains scripts in which the model hangs forever, each at a different
// point of its answer.
var phases = map[string]string{
	"before the headers":         "[hang]",
	"before the first event":     "[hangheaders]",
	"in the middle of the words": "[hang after 3] [fast 9]",
	"in the middle of thinking":  "[think 100 1h]",
	"in the middle of a call":    `[hang after 2] [tool look {"path":"some/where","n":12345}]`,
	"between slow words":         "[slow 1000 1h]",
}

func sameInstant(t *testing.T, of Provider) {
	scripts := maps.Clone(phases)
	maps.Copy(scripts, of.Silent)
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, closed := Fake(t)
				p := of.New("http://fake", client)
				ctx, cancel := context.WithCancelCause(t.Context())
				const after = 10 * time.Second
				start := time.Now()
				defer time.AfterFunc(after, func() { cancel(ErrStopped) }).Stop()

				reply, err := p.Generate(ctx, prompt(script), ignore)
				if took := time.Since(start); took != after {
					t.Errorf("a stop at %v ended the request at %v", after, took)
				}
				if !same(err, ErrStopped) || reply.Finish != "" || reply.Calls != nil {
					t.Errorf("reply %+v, %v", reply, err)
				}
				if at := (<-closed).Sub(start); at != after {
					t.Errorf("the connection was closed at %v", at)
				}
			})
		})
	}
}

// Listen starts a server on a real socket that accepts one connection, reads
// the request, writes send and then waits for the client to disconnect. sent is
// closed after the write, left after the disconnect.
func Listen(t *testing.T, send string) (root string, sent, left chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sent, left = make(chan struct{}), make(chan struct{})
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		r := bufio.NewReader(conn)
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(conn, send)
		close(sent)
		_, _ = r.ReadByte() // EOF or reset
		close(left)
	}()
	t.Cleanup(func() { _ = listener.Close() })
	return "http://" + listener.Addr().String(), sent, left
}

// listen returns a provider for such a server.
func (of Provider) listen(t *testing.T, send string) (p llm.Provider, sent, left chan struct{}) {
	t.Helper()
	root, sent, left := Listen(t, send)
	p = of.New(root, nil)
	t.Cleanup(p.Close)
	return p, sent, left
}

// Headers starts the response of a stream.
const Headers = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

func everyPhase(t *testing.T, of Provider) {
	started := Headers + of.Opening
	for name, send := range map[string]string{
		"before the headers":        "",
		"in the middle of headers":  Headers[:20],
		"before the first event":    Headers,
		"in the middle of an event": started + of.Word + of.Word[:20],
		"after words":               started + of.Word + of.Word,
		"while an error is read":    "HTTP/1.1 500 Oh\r\nContent-Length: 99\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, sent, left := of.listen(t, send)
			ctx, cancel := context.WithCancelCause(t.Context())
			returned := make(chan error, 1)
			go func() {
				_, err := p.Generate(ctx, prompt("hello"), ignore)
				returned <- err
			}()
			<-sent
			stopped := time.Now()
			cancel(ErrStopped)
			if err := <-returned; !same(err, ErrStopped) {
				t.Errorf("error %v", err)
			}
			t.Logf("Ask returned after %v", time.Since(stopped))
			<-left
			t.Logf("the server saw the client leave after %v", time.Since(stopped))
		})
	}
}

func emitStuck(t *testing.T, of Provider) {
	p, _, left := of.listen(t, Headers+of.Opening+of.Word+of.Word+of.Word)
	ctx, cancel := context.WithCancelCause(t.Context())
	emits := 0
	_, err := p.Generate(ctx, prompt("hello"), func(bellcord.Body) error {
		emits++
		cancel(ErrStopped)
		<-left // the stop does not wait for emit
		return nil
	})
	if !same(err, ErrStopped) || emits != 1 {
		t.Errorf("error %v after %d emits", err, emits)
	}
}

func emitEnds(t *testing.T, of Provider) {
	p, sent, left := of.listen(t, Headers+of.Opening+of.Word+of.Word)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-sent; cancel(ErrStopped) }()
	_, err := p.Generate(ctx, prompt("hello"), func(bellcord.Body) error {
		<-ctx.Done() // the core does the same when too much is not yet durable
		return errors.New("no room")
	})
	if !same(err, ErrStopped) {
		t.Errorf("error %v", err)
	}
	<-left
}

func listing(t *testing.T, of Provider) {
	p, sent, left := of.listen(t, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-sent; cancel(ErrStopped) }()
	if _, err := p.Models(ctx); !same(err, ErrStopped) {
		t.Errorf("error %v", err)
	}
	<-left
}
