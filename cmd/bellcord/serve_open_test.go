package main

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestServe_SignalDuringTheStart_EndsIt(t *testing.T) {
	t.Parallel()
	for name, ignoresContext := range map[string]bool{"open returns": false, "open hangs": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				let := make(chan struct{})
				signals := make(chan os.Signal, 8)
				time.AfterFunc(time.Second, func() { signals <- syscall.SIGTERM })
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				_, err := openUntilSignal(ctx, cancel, signals, func(ctx context.Context) (*fakeServer, error) {
					<-ctx.Done()
					if ignoresContext {
						<-let
					}
					return nil, ctx.Err()
				})
				if err == nil || !strings.Contains(err.Error(), "terminated") {
					t.Errorf("returned %v", err)
				}
				close(let)
			})
		})
	}
}

func TestServe_NoSignalDuringTheStart_ContextStaysValid(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 8)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	used, err := openUntilSignal(ctx, cancel, signals, func(ctx context.Context) (*fakeServer, error) {
		return &fakeServer{ctx: ctx}, nil
	})
	if err != nil || used.ctx.Err() != nil || used.closed {
		t.Errorf("%v, %v, closed %v", err, used.ctx.Err(), used.closed)
	}
}

func TestServe_ServerIsOpenedJustAfterTheSignal_IsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 8)
		signals <- syscall.SIGTERM
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		late := &fakeServer{}
		_, err := openUntilSignal(ctx, cancel, signals, func(ctx context.Context) (*fakeServer, error) {
			<-ctx.Done() // it was complete when the signal came
			return late, nil
		})
		if err == nil || !strings.Contains(err.Error(), "terminated") {
			t.Errorf("returned %v", err)
		}
		if !late.closed {
			t.Error("the server was not closed")
		}
	})
}

// fakeServer notes whether it was closed.
type fakeServer struct {
	ctx    context.Context
	closed bool
}

func (s *fakeServer) Close() error {
	s.closed = true
	return nil
}
