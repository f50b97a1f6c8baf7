package llm

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// Sent returns a context that traces the HTTP requests made with it. written
// reports whether at least one of them was completely written to a connection;
// otherwise no request reached a model.
func Sent(ctx context.Context) (watched context.Context, written func() bool) {
	var sent atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				sent.Store(true)
			}
		},
	}), sent.Load
}

// Unbilled reports whether a failed request cost nothing: it was not written to
// a connection, or the server refused it before the model began. Providers do
// not bill responses with an error status. The result is only valid if no part
// of an answer has arrived.
func Unbilled(err error, written bool) bool {
	var f *Failure
	refused := errors.As(err, &f) && f.Reason != CutOff && f.Status >= http.StatusBadRequest
	return err != nil && (!written || refused)
}
