package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// Streamed refuses a response that cannot be a stream, which an SDK would take
// for an empty one, and has its body read through ours.
func Streamed(req *http.Request, next Next) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "application/json" || kind == "text/html" {
		return nil, fmt.Errorf("the model server answered with %s instead of a stream: %s", kind, readWords(res))
	}
	res.Body = &body{ReadCloser: res.Body}
	return res, nil
}

// linger is how long the end of a response may come after the end of its stream.
const linger = 50 * time.Millisecond

// body is a stream's body. It marks errors of the connection as such.
type body struct {
	io.ReadCloser
	done bool // the stream has said its last word
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.done = bytes.HasSuffix(bytes.TrimRight(p[:n], "\r\n"), []byte("[DONE]"))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrCutOff, err)
	}
	return n, err
}

// Close closes the connection, unless the stream is over: an SDK calls it on
// the stream's last word, a moment before the response ends, and a connection
// is only used again if that end was read.
func (b *body) Close() error {
	if b.done {
		timer := time.AfterFunc(linger, func() { _ = b.ReadCloser.Close() })
		_, _ = b.ReadCloser.Read(make([]byte, 1))
		timer.Stop()
	}
	return b.ReadCloser.Close()
}
