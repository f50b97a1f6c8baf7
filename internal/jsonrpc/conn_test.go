package jsonrpc_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// Both directions keep their order: messages are handled one after the other as
// they arrived, and responses are written as they were sent.
func TestServe_ManyMessages_KeepsOrder(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	for i := range 500 {
		fmt.Fprintf(&in, `{"id":%d,"method":"m%d"}`+"\n", i, i)
	}
	var out strings.Builder
	conn := jsonrpc.New(strings.NewReader(in.String()), &out)
	n := 0 // unprotected, so that the race detector reports a concurrent handler
	err := conn.Serve(func(m jsonrpc.Message) {
		if m.Method != fmt.Sprint("m", n) || !m.IsRequest() {
			t.Errorf("%s came as number %d", m.Method, n)
		}
		n++
		conn.Reply(m.ID, n)
	}, func() {})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err != nil || len(lines) != 500 {
		t.Fatalf("%d answers, %v", len(lines), err)
	}
	for i, line := range lines {
		if want := fmt.Sprintf(`{"id":%d,"jsonrpc":"2.0","result":%d}`, i, i+1); line != want {
			t.Fatalf("answer %d is %s", i, line)
		}
	}
}

func TestRequest_ResponsesOutOfOrder_AreMatchedByID(t *testing.T) {
	t.Parallel()
	p := dial(t, nil)
	first, second := p.conn.Request("one", nil), p.conn.Request("two", map[string]int{"n": 2})
	if got := p.next() + p.next(); got != `{"id":1,"jsonrpc":"2.0","method":"one"}{"id":2,"jsonrpc":"2.0","method":"two","params":{"n":2}}` {
		t.Errorf("sent %s", got)
	}
	p.write(`{"id":2,"error":{"code":-5,"message":"no"}}` + "\n" + `{"id":1,"result":{"x":3}}` + "\n")
	var result struct{ X int }
	if err := first.Wait(&result); err != nil || result.X != 3 {
		t.Errorf("answered %v, %v", result, err)
	}
	var refused *jsonrpc.Error
	if err := second.Wait(&result); !errors.As(err, &refused) || refused.Code != -5 || refused.Error() != "no (-5)" {
		t.Errorf("answered %v", err)
	}
}

func TestCancel_PendingRequest_SendsCancelAndDropsResponse(t *testing.T) {
	t.Parallel()
	received := make(chan string, 1)
	p := dial(t, func(_ *jsonrpc.Conn, m jsonrpc.Message) { received <- m.Method })
	request := p.conn.Request("ask", nil)
	request.Cancel()
	request.Cancel() // the second call has no effect
	p.conn.Notify("later", nil)
	for _, want := range []string{
		`{"id":1,"jsonrpc":"2.0","method":"ask"}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"later"}`,
	} {
		if got := p.next(); got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
	if err := request.Wait(nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("waited for %v", err)
	}
	p.write(`{"id":1,"result":"too late"}` + "\n" + `{"method":"still here"}` + "\n")
	if got := <-received; got != "still here" {
		t.Errorf("heard %q", got)
	}
}

func TestCancel_AfterResponse_DoesNothing(t *testing.T) {
	t.Parallel()
	received := make(chan string, 1)
	p := dial(t, func(_ *jsonrpc.Conn, m jsonrpc.Message) { received <- m.Method })
	request := p.conn.Request("ask", nil)
	p.next()
	p.write(`{"id":1,"result":"here"}` + "\n" + `{"method":"mark"}` + "\n")
	<-received // the response was received before
	request.Cancel()
	p.conn.Notify("later", nil)
	if got := p.next(); !strings.Contains(got, "later") {
		t.Errorf("sent %s", got)
	}
	var result string
	if err := request.Wait(&result); err != nil || result != "here" {
		t.Errorf("answered %q, %v", result, err)
	}
}

func TestRequest_ConnectionClosed_ReturnsErrClosed(t *testing.T) {
	t.Parallel()
	in, wire := io.Pipe()
	conn := jsonrpc.New(in, io.Discard)
	before := conn.Request("before", nil)
	served := make(chan error, 1)
	during := make(chan error, 1)
	go func() {
		served <- conn.Serve(func(jsonrpc.Message) {}, func() { during <- conn.Request("during", nil).Wait(nil) })
	}()
	_ = wire.Close()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	for when, err := range map[string]error{
		"before": before.Wait(nil),
		"during": <-during,
		"after":  conn.Request("after", nil).Wait(nil),
	} {
		if !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("a request %s the end was answered %v", when, err)
		}
	}
}

// When Serve returns, it has also written the messages that were sent by ended.
func TestServe_MessageSentAtEnd_IsWritten(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	conn := jsonrpc.New(strings.NewReader(""), &out)
	if err := conn.Serve(func(jsonrpc.Message) {}, func() { conn.Notify("last", nil) }); err != nil {
		t.Fatal(err)
	}
	conn.Notify("too late", nil)
	if got := out.String(); got != `{"jsonrpc":"2.0","method":"last"}`+"\n" {
		t.Errorf("written %q", got)
	}
}
