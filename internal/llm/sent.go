package llm

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// Sent watches the requests that are made with the context it returns. written
// reports whether one of them was written to a connection; a request that was
// not reached no model.
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
// a connection, or the server refused it before the model began. Providers bill
// nothing for an answer with an error status. It holds only where nothing of an
// answer has come.
func Unbilled(err error, written bool) bool {
	var f *Failure
	refused := errors.As(err, &f) && f.Reason != CutOff && f.Status >= http.StatusBadRequest
	return err != nil && (!written || refused)
}
