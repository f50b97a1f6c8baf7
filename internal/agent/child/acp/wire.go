package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// wire is the client's end of the connection. It differs from jsonrpc.Conn in
// three ways: the reader handles responses in order with the updates; lines
// that are not messages are skipped without an error response, because a
// program that prints its input could cause an endless exchange; and writes
// keep their order and never block.
type wire struct {
	out    *bufio.Reader
	in     child.Writer
	logger *slog.Logger

	mu      sync.Mutex // also keeps ids and records in the same order
	lastID  int64
	pending map[string]func(answer)
	closed  bool

	life context.Context // ends when the connection is closed
	end  context.CancelFunc
}

// envelope is a JSON-RPC message to the agent.
type envelope map[string]any

// answer is the outcome of a request: a result or an error.
type answer struct {
	result json.RawMessage
	err    error
}

func newWire(out io.Reader, in child.Writer, logger *slog.Logger) *wire {
	w := &wire{out: bufio.NewReaderSize(out, 64<<10), in: in, logger: logger, pending: map[string]func(answer){}}
	w.life, w.end = context.WithCancel(context.Background()) // for requests that are passed on, which belong to no turn
	return w
}

// read passes requests and notifications to handle, and responses to their
// pending requests, one after the other, until the agent's output ends.
func (w *wire) read(handle func(jsonrpc.Message)) {
	defer w.failPending()
	for {
		line, err := w.line()
		if line = bytes.TrimSpace(line); len(line) > 0 {
			w.message(line, handle)
		}
		if err != nil {
			return
		}
	}
}

func (w *wire) message(line []byte, handle func(jsonrpc.Message)) {
	var m jsonrpc.Message
	switch err := json.Unmarshal(line, &m); {
	case err != nil:
		w.logger.Debug("agent wrote a line that is not a message", "line", string(line[:min(len(line), 200)]))
	case m.Method != "":
		handle(m)
	case m.Error != nil:
		w.deliverAnswer(m.ID, answer{err: m.Error})
	case len(m.ID) > 0:
		w.deliverAnswer(m.ID, answer{result: m.Result})
	}
}

// line returns the next line. A line longer than jsonrpc.MostLine is returned
// as empty.
func (w *wire) line() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := w.out.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > jsonrpc.MostLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// request sends a request. then is called once with the response, by the
// reader, or with jsonrpc.ErrClosed if no response can arrive. then must not
// block.
func (w *wire) request(method string, params any, then func(answer)) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		then(answer{err: jsonrpc.ErrClosed})
		return
	}
	w.lastID++
	id := strconv.FormatInt(w.lastID, 10)
	w.pending[id] = then
	w.put(envelope{"id": w.lastID, "method": method, "params": params})
	w.mu.Unlock()
}

// requestAndWait sends a request and waits for its response or the end of ctx.
func (w *wire) requestAndWait(ctx context.Context, method string, params, result any) error {
	came := make(chan answer, 1)
	w.request(method, params, func(a answer) { came <- a })
	select {
	case a := <-came:
		if a.err != nil {
			return lost(a.err)
		}
		if raw, is := result.(*json.RawMessage); is {
			*raw = a.result
			return nil
		}
		return acp.Decode(a.result, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// deliverAnswer passes a response to its pending request. A second response, or
// one without a request, is dropped.
func (w *wire) deliverAnswer(id json.RawMessage, a answer) {
	key := strings.Trim(string(id), `"`) // request ids are numbers; some agents return them as strings
	w.mu.Lock()
	then := w.pending[key]
	delete(w.pending, key)
	w.mu.Unlock()
	if then != nil {
		then(a)
	}
}

// failPending fails all pending requests, because no more responses can arrive.
func (w *wire) failPending() {
	w.mu.Lock()
	w.closed = true
	w.end()
	left := w.pending
	w.pending = nil
	w.mu.Unlock()
	for _, then := range left {
		then(answer{err: jsonrpc.ErrClosed})
	}
}

func (w *wire) notify(method string, params any) {
	w.sendMessage(envelope{"method": method, "params": params})
}

// sendReply sends the response to a request of the agent.
func (w *wire) sendReply(id json.RawMessage, result any, err error) {
	if err == nil {
		w.sendMessage(envelope{"id": id, "result": result})
		return
	}
	var failure *jsonrpc.Error
	if !errors.As(err, &failure) {
		failure = &jsonrpc.Error{Code: jsonrpc.InternalError, Message: err.Error()}
	}
	w.sendMessage(envelope{"id": id, "error": failure})
}

func (w *wire) sendMessage(m envelope) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.put(m)
	}
}

// put writes a record. The caller holds w.mu.
func (w *wire) put(m envelope) {
	m["jsonrpc"] = "2.0"
	record, err := json.Marshal(m)
	if err != nil { // cannot happen: messages consist of strings, numbers and valid JSON
		w.logger.Error("cannot encode a message to the agent", "err", err)
		return
	}
	w.in.Write(append(record, '\n'))
}
