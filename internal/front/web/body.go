package web

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/bellcord/bellcord"
)

// Maximum sizes of request bodies, by route.
const (
	mostBody   = 1 << 20
	mostPrompt = 32 << 20 // a prompt with its images
	mostStop   = 16 << 10
	mostLogin  = 4 << 10
	mostPush   = 8 << 10
	mostUnused = 4 << 10 // on a route without a body
)

// readBody reads the body of an operation, within limits on size, shape and
// time. It is the last middleware: authentication, scope and rate are checked
// first, so a request that is refused there costs no more than its headers. No
// handler waits for data from the client.
func (g *guard) readBody(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	most := bodyLimit(ctx.Operation())
	release, err := g.inFlight.reserve(caller(ctx.Context()).Owner, announced(r, most))
	if err != nil {
		g.writeProblem(w, r, err)
		return
	}
	defer release()
	body, err := readAll(w, r, most)
	if err != nil {
		g.writeProblem(w, r, err)
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // otherwise the deadline would cancel a request that waits
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	next(ctx)
}

// bodyLimit returns the maximum size of an operation's body.
func bodyLimit(op *huma.Operation) int64 {
	if op.RequestBody == nil {
		return mostUnused
	}
	return op.MaxBodyBytes
}

// announced returns the expected size of the body, or most if it is not
// declared.
func announced(r *http.Request, most int64) int64 {
	if r.ContentLength < 0 {
		return most
	}
	return min(r.ContentLength, most)
}

func readAll(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, errNotJSON
	}
	if r.ContentLength > most {
		return nil, errTooLarge
	}
	var body bytes.Buffer
	body.Grow(int(max(r.ContentLength, 0)) + bytes.MinRead) // avoids copying a large body
	_, err := body.ReadFrom(&shapeReader{from: http.MaxBytesReader(w, r.Body, most)})
	var (
		large *http.MaxBytesError
		shape errInput
	)
	switch {
	case errors.Is(err, bellcord.ErrPromptTooLong):
		return nil, err
	case errors.As(err, &large):
		return nil, errTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errTooSlow
	case errors.As(err, &shape):
		return nil, shape
	case err != nil:
		return nil, badInput("the request body ended early")
	}
	return body.Bytes(), r.Context().Err()
}
