package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/bellcord/bellcord/internal/llm"
)

// Streamed refuses a response that cannot be a stream, which an SDK would take
// for an empty one, and marks the errors of its connection.
func Streamed(req *http.Request, next Next) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "application/json" || kind == "text/html" {
		return nil, fmt.Errorf("the model server returned %s instead of a stream: %s", kind, readWords(res))
	}
	res.Body = body{res.Body}
	return res, nil
}

// body marks errors of the connection as such.
type body struct{ io.ReadCloser }

func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrCutOff, err)
	}
	return n, err
}

// linger is how long the end of a response may come after the end of its stream.
const linger = 50 * time.Millisecond

// Reused has the end of a response read when it is closed, where over says that
// its stream has said all it had to: SDKs close it on the stream's last word, a
// moment before the response ends, and a connection is only used again if that
// end was read. A stream that is closed before takes its connection with it.
func Reused(over func() bool) Middleware {
	return func(req *http.Request, next Next) (*http.Response, error) {
		res, err := next(req)
		if err == nil {
			res.Body = lingering{res.Body, over}
		}
		return res, err
	}
}

type lingering struct {
	io.ReadCloser
	over func() bool
}

// Close waits for the end of a stream that is over, for a moment.
func (l lingering) Close() error {
	if l.over() {
		timer := time.AfterFunc(linger, func() { _ = l.ReadCloser.Close() })
		_, _ = io.Copy(io.Discard, l.ReadCloser)
		timer.Stop()
	}
	return l.ReadCloser.Close()
}

// Finish returns what Ask returns for a stream that ended with err. The end of
// ctx wins over the error and over a complete reply.
func Finish(ctx context.Context, err error, reply func() (llm.Reply, error)) (llm.Reply, error) {
	if ctx.Err() != nil {
		return llm.Reply{}, context.Cause(ctx)
	}
	if err != nil {
		return llm.Reply{}, err
	}
	return reply()
}
