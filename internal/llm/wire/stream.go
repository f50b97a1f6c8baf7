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

// Streamed is a Middleware that rejects responses that cannot be a stream,
// which SDKs would treat as empty streams. It also makes connection errors of
// the body wrap ErrCutOff.
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

// body makes connection errors wrap ErrCutOff.
type body struct{ io.ReadCloser }

func (b body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrCutOff, err)
	}
	return n, err
}

// linger is how long Close waits for the end of a response after the end of its
// stream.
const linger = 50 * time.Millisecond

// Reused returns a Middleware that reads a response to its end on Close, if
// over reports that its stream is complete. SDKs close a response on the last
// event of its stream, just before the response ends, and a connection can only
// be reused after that end was read. Closing an incomplete stream closes its
// connection.
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

// Close waits up to linger for the end of a response with a complete stream.
func (l lingering) Close() error {
	if l.over() {
		timer := time.AfterFunc(linger, func() { _ = l.ReadCloser.Close() })
		_, _ = io.Copy(io.Discard, l.ReadCloser)
		timer.Stop()
	}
	return l.ReadCloser.Close()
}

// Finish returns the result of Generate for a stream that ended with err. The cause
// of ctx takes precedence over err and over a complete reply.
func Finish(ctx context.Context, err error, reply func() (llm.Reply, error)) (llm.Reply, error) {
	if ctx.Err() != nil {
		return llm.Reply{}, context.Cause(ctx)
	}
	if err != nil {
		return llm.Reply{}, err
	}
	return reply()
}
