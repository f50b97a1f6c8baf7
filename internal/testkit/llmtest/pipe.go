package llmtest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/piped"
)

// Quiet returns a logger that discards everything.
func Quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// Serve serves answer on in-memory connections, so that a synctest bubble can
// detect when all goroutines wait. It returns a client for the server.
func Serve(t *testing.T, answer http.HandlerFunc) *http.Client {
	listener := piped.Listen()
	server := &http.Server{Handler: answer, ErrorLog: Quiet()}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	transport := &http.Transport{DialContext: listener.DialContext}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		<-served
	})
	return &http.Client{Transport: transport}
}

// Fake returns a client of the fake model for a synctest bubble; every host is
// the model. closed receives the time at which the first connection was closed.
func Fake(t *testing.T) (client *http.Client, closed chan time.Time) {
	t.Helper()
	server := fakemodel.New()
	client, done := server.Pipe()
	t.Cleanup(done)
	closed = make(chan time.Time, 1)
	transport := client.Transport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &watched{conn, closed}, err
	}
	return client, closed
}

type watched struct {
	net.Conn
	closed chan time.Time
}

func (w *watched) Close() error {
	select {
	case w.closed <- time.Now():
	default:
	}
	return w.Conn.Close()
}
