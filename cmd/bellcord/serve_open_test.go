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
				_, err := openUntilSignal(ctx, cancel, signals, func(ctx context.Context) (int, error) {
					<-ctx.Done()
					if ignoresContext {
						<-let
					}
					return 0, ctx.Err()
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
	used, err := openUntilSignal(ctx, cancel, signals, func(ctx context.Context) (context.Context, error) { return ctx, nil })
	if err != nil || used.Err() != nil {
		t.Errorf("%v, %v", err, used.Err())
	}
}
