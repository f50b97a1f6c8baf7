package gemini

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/bellcord/bellcord/internal/llm/wire"
)

// recording stands between a stream's connection and the SDK. It hands over
// whole events only, so that one that was cut in two is never seen; it keeps the
// arguments of calls as they were written and the word on a finish; and it keeps the error that ended the
// connection to itself, because the SDK would tell the log of every stop.
type recording struct {
	conn   io.ReadCloser
	in     *bufio.Reader
	out    []byte            // of the event that is being handed over
	args   []json.RawMessage // of the calls in what was handed over, in order
	finish string            // what the server says of the finish, which the SDK drops
	err    error             // what broke the connection
}

type recordingKey struct{}

// heardIn is ctx for a request whose answer is a stream to be recorded.
func (r *recording) heardIn(ctx context.Context) context.Context {
	return context.WithValue(ctx, recordingKey{}, r)
}

// recorded puts the recording of a stream in place of its body. What is no
// stream goes through.
func recorded(req *http.Request, next wire.Next) (*http.Response, error) {
	r, ok := req.Context().Value(recordingKey{}).(*recording)
	if !ok {
		return next(req)
	}
	res, err := wire.Streamed(req, next)
	if err != nil {
		return nil, err
	}
	r.conn, r.in = res.Body, bufio.NewReader(res.Body)
	res.Body = r
	return res, nil
}

// Read implements io.Reader. However the connection ended, it says io.EOF.
func (r *recording) Read(p []byte) (int, error) {
	if len(r.out) == 0 {
		r.out = r.event()
		if r.out == nil {
			return 0, io.EOF
		}
		r.note(r.out)
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// Close closes the connection, unless the response was read to its end.
func (r *recording) Close() error {
	_ = r.conn.Close() // the SDK would only log it
	return nil
}

// event reads up to the next empty line; nil is the end of all. At the end the
// empty line may be missing, where nothing else is.
func (r *recording) event() []byte {
	var event []byte
	for {
		line, err := r.in.ReadBytes('\n')
		event = append(event, line...)
		switch {
		case err == nil && len(bytes.TrimRight(line, "\r\n")) > 0:
		case err == nil && len(bytes.TrimSpace(event)) == 0:
			event = nil // it was only empty lines
		case err == nil:
			return event
		default:
			if !errors.Is(err, io.EOF) {
				r.err = err
			}
			if !json.Valid(data(event)) {
				return nil
			}
			return event
		}
	}
}

func data(event []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(event), []byte("data:")))
}

// note keeps of an event what the SDK does not pass on.
func (r *recording) note(event []byte) {
	var chunk struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					FunctionCall *struct {
						Args json.RawMessage `json:"args"`
					} `json:"functionCall"`
				} `json:"parts"`
			} `json:"content"`
			FinishMessage string `json:"finishMessage"`
		} `json:"candidates"`
	}
	if json.Unmarshal(data(event), &chunk) != nil || len(chunk.Candidates) == 0 {
		return // the SDK will say what is wrong with it
	}
	r.finish = chunk.Candidates[0].FinishMessage
	for _, part := range chunk.Candidates[0].Content.Parts {
		if part.FunctionCall != nil {
			r.args = append(r.args, part.FunctionCall.Args)
		}
	}
}

// nextArgs are those of the next call that the SDK has passed on, "" where the
// model gave none.
func (r *recording) nextArgs() string {
	if len(r.args) == 0 {
		return ""
	}
	args := r.args[0]
	r.args = r.args[1:]
	if string(args) == "null" {
		return ""
	}
	return string(args)
}
