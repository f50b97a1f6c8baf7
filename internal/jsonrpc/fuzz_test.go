package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bellcord/bellcord/internal/jsonrpc"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, seed := range []string{
		"", "\n", "\r\n \n", `{"method":"a"}`, "{\"method\":\"a\"}\r\n\n{\"id\":1,\"method\":\"b\"}\n", "[]\n{}\nnull",
		`{"id":1,"result":1}` + "\n" + `{"id":2,"error":{"code":1,"message":"x"}}`, "{\"method\":\"\u2028\"}\n\xff\xfe\n", "{\"method\":\n\"a\"}",
		strings.Repeat(" ", 70<<10) + `{"method":"far"}` + "\n",
	} {
		f.Add([]byte(seed))
	}
}

// The reader agrees with a simple split: split at newlines, trim, skip empty
// lines. Every line is handled, rejected or a response.
func FuzzLinesAgainstASimpleSplit(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		var handed []string
		refused := 0
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			var m jsonrpc.Message
			switch err := json.Unmarshal(line, &m); {
			case err == nil && m.Method != "":
				handed = append(handed, m.Method)
			case err == nil && len(m.ID) > 0 && (m.Result != nil || m.Error != nil): // a response without a request
			default:
				refused++
			}
		}
		sent := 0
		var methods []string
		err := jsonrpc.New(iotest.HalfReader(bytes.NewReader(in)), writes(func(text []byte) { sent += bytes.Count(text, []byte("\n")) })).
			Serve(func(m jsonrpc.Message) { methods = append(methods, m.Method) }, func() {})
		if err != nil {
			t.Fatal(err)
		}
		if sent != refused || !slices.Equal(methods, handed) {
			t.Errorf("%q: refused %d and handed over %q, want %d and %q", in, sent, methods, refused, handed)
		}
	})
}

type writes func([]byte)

func (w writes) Write(p []byte) (int, error) { w(p); return len(p), nil }

// For every input, the connection ends with the input, leaves no request
// pending, and writes only complete messages.
func FuzzConnection(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		conn := jsonrpc.New(bytes.NewReader(in), &out)
		first, second := conn.Request("first", nil), conn.Request("second", nil)
		err := conn.Serve(func(m jsonrpc.Message) {
			second.Cancel()
			if m.IsRequest() {
				conn.Reply(m.ID, m.Params)
			}
		}, func() {})
		if err != nil {
			t.Fatal(err)
		}
		var result any
		_ = first.Wait(&result) // any outcome is correct, but Wait must return
		_ = second.Wait(&result)
		for d := json.NewDecoder(&out); ; {
			var m struct {
				Version string `json:"jsonrpc"`
			}
			if err := d.Decode(&m); err == io.EOF {
				break
			} else if err != nil || m.Version != "2.0" {
				t.Fatalf("sent %+v, %v", m, err)
			}
		}
	})
}
