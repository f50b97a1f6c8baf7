package jsonrpc_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bellcord/bellcord/internal/jsonrpc"
)

func TestServe_LineFormats_AreHandledOrRejected(t *testing.T) {
	t.Parallel()
	const a, b = `{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","id":1,"method":"b"}`
	tests := []struct {
		name    string
		in      string
		methods string
		codes   []int
	}{
		{"nothing", "", "", nil},
		{"one message a line", a + "\n" + b + "\n", "a b", nil},
		{"lines that end as on Windows", a + "\r\n" + b + "\r\n", "a b", nil},
		{"blank lines between", "\n\r\n  \n" + a + "\n\t\n\n" + b + "\n\n", "a b", nil},
		{"space around a message", "  " + a + " \t\n", "a", nil},
		{"a last message without its newline", a + "\n" + b, "a b", nil},
		{"a separator of paragraphs within a message", "{\"method\":\"a\u2028\u2029b\"}\n" + b + "\n", "a\u2028\u2029b b", nil},
		{"an end in the middle of a message", a + "\n" + `{"jsonrpc":"2.0","met`, "a", []int{-32700}},
		{"garbage, and the next message is understood", "GET / HTTP/1.1\n" + a + "\n", "a", []int{-32700}},
		{"a message over two lines", "{\"method\":\n\"a\"}\n" + b + "\n", "b", []int{-32700, -32700}},
		{"two messages in a line", a + a + "\n" + b + "\n", "b", []int{-32700}},
		{"a batch", "[" + a + "," + b + "]\n" + b + "\n", "b", []int{-32600}},
		{"an empty batch", "[]\n", "", []int{-32600}},
		{"a message that is none", "null\n1\n\"a\"\n{}\n", "", []int{-32600, -32600, -32600, -32600}},
		{"a method of the wrong type", `{"method":1}` + "\n", "", []int{-32600}},
		{"an answer to nobody", `{"id":9,"result":null}` + "\n" + a + "\n", "a", nil},
		{"an answer with neither result nor error", `{"jsonrpc":"2.0","id":9}` + "\n", "", []int{-32600}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for how, reader := range map[string]io.Reader{
				"whole":        strings.NewReader(test.in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(test.in)),
			} {
				handled, sent := serveInput(t, reader)
				var methods []string
				for _, m := range handled {
					methods = append(methods, m.Method)
				}
				var codes []int
				for _, line := range sent {
					c, id := code(t, line)
					codes = append(codes, c)
					if id != "null" && id != "9" {
						t.Errorf("%s: answered %s", how, line)
					}
				}
				if got := strings.Join(methods, " "); got != test.methods || !reflect.DeepEqual(codes, test.codes) {
					t.Errorf("%s: handed over %q and answered %v, want %q and %v", how, got, codes, test.methods, test.codes)
				}
			}
		})
	}
}

// letters is an endless text.
type letters struct{}

var block = strings.Repeat("a", 64<<10)

func (letters) Read(p []byte) (int, error) { return copy(p, block), nil }

func TestLine_TooLong_IsRejectedAndNextLineIsRead(t *testing.T) {
	t.Parallel()
	handled, sent := serveInput(t, io.MultiReader(
		strings.NewReader(`{"method":"long","params":"`), io.LimitReader(letters{}, jsonrpc.MostLine), strings.NewReader("\"}\n"),
		strings.NewReader(`{"method":"short"}`+"\n"),
	))
	if len(handled) != 1 || handled[0].Method != "short" {
		t.Errorf("%d messages were handed over", len(handled))
	}
	if len(sent) != 1 {
		t.Fatalf("answered %v", sent)
	}
	if c, id := code(t, sent[0]); c != jsonrpc.InvalidRequest || id != "null" {
		t.Errorf("answered %s", sent[0])
	}
}

func TestLine_TooLong_ErrorHasItsID(t *testing.T) {
	t.Parallel()
	for beginning, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"long","params":"`:           "7",
		`{"jsonrpc":"2.0","method":"long","id":"a\"b","params":["x","`: `"a\"b"`,
		`{"method":"long","params":"`:                                  "null", // the id comes after the part that is too long
		`[{"id":7,"params":"`:                                          "null",
	} {
		_, sent := serveInput(t, io.MultiReader(strings.NewReader(beginning), io.LimitReader(letters{}, jsonrpc.MostLine), strings.NewReader("\"}\n")))
		if len(sent) != 1 {
			t.Fatalf("%s: answered %v", beginning, sent)
		}
		if c, id := code(t, sent[0]); c != jsonrpc.InvalidRequest || id != want {
			t.Errorf("%s: answered %s, want the id %s", beginning, sent[0], want)
		}
	}
}

func TestLine_TooLongResponse_FailsTheRequest(t *testing.T) {
	t.Parallel()
	p := dial(t, nil)
	request := p.conn.Request("read", nil)
	p.next()
	go func() {
		_, _ = io.Copy(p.wire, io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"result":"`), io.LimitReader(letters{}, jsonrpc.MostLine), strings.NewReader("\"}\n")))
	}()
	var refused *jsonrpc.Error
	if err := request.Wait(new(string)); !errors.As(err, &refused) || refused.Code != jsonrpc.InvalidRequest {
		t.Errorf("the request ended with %v", err)
	}
}

func TestServe_InputFails_ReturnsItsError(t *testing.T) {
	t.Parallel()
	broken := errors.New("the line is cut")
	in := io.MultiReader(strings.NewReader("{\"method\":\"a\"}\n{\"method\":"), iotest.ErrReader(broken))
	var methods []string
	ended := false
	err := jsonrpc.New(in, io.Discard).Serve(func(m jsonrpc.Message) { methods = append(methods, m.Method) }, func() { ended = true })
	if !errors.Is(err, broken) || !ended || !reflect.DeepEqual(methods, []string{"a"}) {
		t.Errorf("served %v, ended %v, with %v", methods, ended, err)
	}
}

// Each message is written as one line, whatever it contains.
func TestSend_AnyMessage_IsOneLine(t *testing.T) {
	t.Parallel()
	p := dial(t, nil)
	p.conn.Notify("say", map[string]string{"text": "a\r\nb\u2028c<&>"})
	p.conn.Reply([]byte("7"), nil)
	p.conn.ReplyError([]byte(`"x"`), &jsonrpc.Error{Code: 5, Message: "no"})
	p.conn.Reply([]byte("8"), func() {}) // cannot be encoded
	for _, want := range []string{
		`{"jsonrpc":"2.0","method":"say","params":{"text":"a\r\nb\u2028c\u003c\u0026\u003e"}}`,
		`{"id":7,"jsonrpc":"2.0","result":null}`,
		`{"error":{"code":5,"message":"no"},"id":"x","jsonrpc":"2.0"}`,
	} {
		if got := p.next(); got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
	if c, id := code(t, p.next()); c != jsonrpc.InternalError || id != "8" {
		t.Errorf("sent %d for %s", c, id)
	}
}
