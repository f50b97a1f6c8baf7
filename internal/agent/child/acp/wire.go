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

// wire is our end of the connection. It differs from a jsonrpc.Conn in what a
// host needs: answers are seen by the reader, in their place between the
// updates; what is no message is skipped and never answered, because a program
// that prints what it cannot read would be answered for ever; and the pipe to
// the agent keeps order and never blocks by itself.
type wire struct {
	out    *bufio.Reader
	in     child.Writer
	logger *slog.Logger

	mu      sync.Mutex // also keeps ids and records in one order
	lastID  int64
	pending map[string]func(answer)
	closed  bool
}

// envelope is a JSON-RPC message to the agent.
type envelope map[string]any

// answer is what came of a request: a result, or why there is none.
type answer struct {
	result json.RawMessage
	err    error
}

func newWire(out io.Reader, in child.Writer, logger *slog.Logger) *wire {
	return &wire{out: bufio.NewReaderSize(out, 64<<10), in: in, logger: logger, pending: map[string]func(answer){}}
}

// read hands over requests and notifications, and answers to whoever asked, one
// after the other, until the agent writes no more.
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

// line returns the next line; one that is longer than any may be comes as none.
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

// request sends a request. then gets its answer, once, from the reader; or
// jsonrpc.ErrClosed when none can come. It must not block.
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

// requestAndWait is a request whose answer is waited for, no longer than ctx lasts.
func (w *wire) requestAndWait(ctx context.Context, method string, params, result any) error {
	came := make(chan answer, 1)
	w.request(method, params, func(a answer) { came <- a })
	select {
	case a := <-came:
		if a.err != nil {
			return lost(a.err)
		}
		return acp.Decode(a.result, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// deliverAnswer passes an answer to the request that waits for it. A second
// answer, or one without a request, is dropped.
func (w *wire) deliverAnswer(id json.RawMessage, a answer) {
	key := strings.Trim(string(id), `"`) // ours are numbers; some send them back as text
	w.mu.Lock()
	then := w.pending[key]
	delete(w.pending, key)
	w.mu.Unlock()
	if then != nil {
		then(a)
	}
}

// failPending ends all pending requests, because no more answers can arrive.
func (w *wire) failPending() {
	w.mu.Lock()
	w.closed = true
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

// sendReply answers a request of the agent's.
func (w *wire) sendReply(id json.RawMessage, result any, err error) {
	if err == nil {
		w.sendMessage(envelope{"id": id, "result": result})
		return
	}
	var told *jsonrpc.Error
	if !errors.As(err, &told) {
		told = &jsonrpc.Error{Code: jsonrpc.InternalError, Message: err.Error()}
	}
	w.sendMessage(envelope{"id": id, "error": told})
}

func (w *wire) sendMessage(m envelope) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.put(m)
	}
}

// put writes a record; the lock is held.
func (w *wire) put(m envelope) {
	m["jsonrpc"] = "2.0"
	record, err := json.Marshal(m)
	if err != nil { // ours are of text, numbers and what was JSON before
		w.logger.Error("cannot encode a message to the agent", "err", err)
		return
	}
	w.in.Write(append(record, '\n'))
}
