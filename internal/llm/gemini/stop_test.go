package gemini_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm/gemini"
	"github.com/bellcord/bellcord/internal/llm/wire"
)

var errStopped = errors.New("stopped by the test")

// phases are the scripts in which the model is silent for ever, each at another
// point of its answer.
var phases = map[string]string{
	"before the headers":         "[hang]",
	"before the first chunk":     "[hangheaders]",
	"in the middle of the words": "[hang after 3] [fast 9]",
	"in the middle of thinking":  "[think 100 1h]",
	"between two calls":          `[slowargs 1h] [tool look {}] [tool look {"path":"some/where","n":12345}]`,
	"in the middle of a call":    `[hang after 2] [tool look {"path":"some/where","n":12345}]`,
	"between slow words":         "[slow 1000 1h]",
}

func TestAStopEndsTheRequestInTheSameInstant(t *testing.T) {
	t.Parallel()
	for name, script := range phases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, closed := fakeInMemory(t)
				ctx, cancel := context.WithCancelCause(t.Context())
				const after = 10 * time.Second
				start := time.Now()
				defer time.AfterFunc(after, func() { cancel(errStopped) }).Stop()

				reply, err := p.Ask(ctx, prompt(script), ignore)
				if took := time.Since(start); took != after {
					t.Errorf("a stop at %v ended the request at %v", after, took)
				}
				if !same(err, errStopped) || reply.Finish != "" || reply.Calls != nil {
					t.Errorf("reply %+v, %v", reply, err)
				}
				if at := (<-closed).Sub(start); at != after {
					t.Errorf("the connection was closed at %v", at)
				}
			})
		})
	}
}

// listen is a server on a real socket that sends what it is given and then only
// waits for the client to leave: what it reads after the request ends with that.
func listen(t *testing.T, send string) (p *gemini.Provider, sent, left chan struct{}) {
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
	p = gemini.New(gemini.Config{BaseURL: "http://" + listener.Addr().String(), Key: "key"})
	t.Cleanup(func() { _ = listener.Close(); p.Close() })
	return p, sent, left
}

const (
	headers = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	word    = `data: {"candidates":[{"content":{"parts":[{"text":"word "}]}}]}` + "\r\n\r\n"
)

func TestAStopClosesTheSocketInEveryPhase(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]string{
		"before the headers":       "",
		"in the middle of headers": headers[:20],
		"before the first chunk":   headers,
		"in the middle of a chunk": headers + word + word[:20],
		"after words":              headers + word + word,
		"while an error is read":   "HTTP/1.1 500 Oh\r\nContent-Length: 99\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, sent, left := listen(t, send)
			ctx, cancel := context.WithCancelCause(t.Context())
			returned := make(chan error, 1)
			go func() {
				_, err := p.Ask(ctx, prompt("hello"), ignore)
				returned <- err
			}()
			<-sent
			stopped := time.Now()
			cancel(errStopped)
			if err := <-returned; !same(err, errStopped) {
				t.Errorf("error %v", err)
			}
			t.Logf("Ask returned after %v", time.Since(stopped))
			<-left
			t.Logf("the server saw the client leave after %v", time.Since(stopped))
		})
	}
}

func TestAStopReachesTheServerAlsoWhileEmitIsStuck(t *testing.T) {
	t.Parallel()
	p, _, left := listen(t, headers+word+word+word)
	ctx, cancel := context.WithCancelCause(t.Context())
	emits := 0
	_, err := p.Ask(ctx, prompt("hello"), func(bellcord.Body) error {
		emits++
		cancel(errStopped)
		<-left // the stop does not wait for us
		return nil
	})
	if !same(err, errStopped) || emits != 1 {
		t.Errorf("error %v after %d emits", err, emits)
	}
}

func TestAnEmitThatEndsWithTheStopEndsTheRequestWithIt(t *testing.T) {
	t.Parallel()
	p, sent, left := listen(t, headers+word+word)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-sent; cancel(errStopped) }()
	_, err := p.Ask(ctx, prompt("hello"), func(bellcord.Body) error {
		<-ctx.Done() // as the core's does, when too much is not yet durable
		return errors.New("no room")
	})
	if !same(err, errStopped) {
		t.Errorf("error %v", err)
	}
	<-left
}

func TestListingModelsIsStoppedTheSameWay(t *testing.T) {
	t.Parallel()
	p, sent, left := listen(t, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-sent; cancel(errStopped) }()
	if _, err := p.Models(ctx); !same(err, errStopped) {
		t.Errorf("error %v", err)
	}
	<-left
}

// TestTheLogIsNotToldOfStops is not parallel: the log is everyone's.
func TestTheLogIsNotToldOfStops(t *testing.T) {
	var told strings.Builder
	log.SetOutput(&told)
	defer log.SetOutput(os.Stderr)
	p, sent, left := listen(t, headers+word)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-sent; cancel(errStopped) }()
	if _, err := p.Ask(ctx, prompt("hello"), ignore); !same(err, errStopped) {
		t.Errorf("error %v", err)
	}
	<-left
	p, _ = fake(t)
	if _, err := p.Ask(t.Context(), prompt("[cut after 2] [fast 5]"), ignore); !errors.Is(err, wire.ErrCutOff) {
		t.Errorf("error %v", err)
	}
	if told.Len() > 0 {
		t.Errorf("the log was told %q", told.String())
	}
}
