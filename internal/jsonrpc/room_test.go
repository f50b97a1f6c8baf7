package jsonrpc_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bellcord/bellcord/internal/jsonrpc"
)

var much = strings.Repeat("x", 1<<20)

func TestRoom_PeerDoesNotRead_Waits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, func(c *jsonrpc.Conn, m jsonrpc.Message) { c.Reply(m.ID, "at once") })
		p.conn.Notify("taken", much) // the writer blocks on the pipe with this one
		synctest.Wait()
		if err := p.conn.WaitWritable(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.conn.Notify("waiting", much)
		roomy := make(chan error, 1)
		go func() { roomy <- p.conn.WaitWritable(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-roomy:
			t.Fatalf("there was room: %v", err)
		default:
		}
		p.write(`{"id":1,"method":"hello"}` + "\n" + `{"id":2,"method":"hello"}` + "\n") // still gets responses
		synctest.Wait()
		for _, want := range []string{"taken", "waiting", `"id":1`, `"id":2`} {
			if got := p.next(); !strings.Contains(got[:min(len(got), 100)]+got[max(0, len(got)-100):], want) {
				t.Errorf("%d bytes, want %s", len(got), want)
			}
		}
		if err := <-roomy; err != nil {
			t.Error(err)
		}
	})
}

func TestRoom_ContextIsDone_ReturnsCause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := dial(t, nil)
		p.conn.Notify("taken", much)
		synctest.Wait()
		p.conn.Notify("waiting", much)
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		roomy := make(chan error, 1)
		go func() { roomy <- p.conn.WaitWritable(ctx) }()
		synctest.Wait()
		cancel(enough)
		if err := <-roomy; !errors.Is(err, enough) {
			t.Errorf("waited until %v", err)
		}
	})
}

func TestRoom_OutputFails_DoesNotBlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, wire := io.Pipe()
		out, answers := io.Pipe()
		conn := jsonrpc.New(in, answers)
		handled := 0
		served := make(chan error, 1)
		go func() { served <- conn.Serve(func(jsonrpc.Message) { handled++ }, func() {}) }()
		conn.Notify("taken", much)
		synctest.Wait()
		conn.Notify("waiting", much)
		roomy := make(chan error, 1)
		go func() { roomy <- conn.WaitWritable(t.Context()) }()
		synctest.Wait()
		_ = out.CloseWithError(errors.New("broken pipe"))
		if err := <-roomy; err != nil {
			t.Error(err)
		}
		conn.Notify("to nobody", much)
		if err := conn.WaitWritable(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := io.WriteString(wire, `{"method":"still heard"}`+"\n"); err != nil {
			t.Error(err)
		}
		_ = wire.Close()
		if err := <-served; err != nil || handled != 1 {
			t.Errorf("served %d messages, %v", handled, err)
		}
	})
}
