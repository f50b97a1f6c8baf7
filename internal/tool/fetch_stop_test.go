package tool_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

func TestFetch_NoAnswer_FailsAfterTimeout(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]http.HandlerFunc{"/": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }})
	impatient := tool.FetchOptions{AllowPrivate: true, Timeout: 20 * time.Millisecond}
	got := use(t, t.Context(), tool.Fetch(impatient), "", fields{"url": url})
	if !got.Failed || got.Fate != bellcord.CallFinished || got.Text != "error: no complete answer within 20ms" {
		t.Errorf("%+v", got)
	}
}

// hungUp waits until the server's connection is closed. A handshake that is not
// canceled would continue for ten seconds.
func hungUp(t *testing.T, gone <-chan struct{}) {
	t.Helper()
	select {
	case <-gone:
	case <-time.After(8 * time.Second):
		t.Error("still connected")
	}
}

// The server's connection is closed, at whatever point the stop arrives.
func TestFetch_Stop_ClosesConnection(t *testing.T) {
	t.Parallel()
	tests := map[string]func(w http.ResponseWriter){
		"before the answer": func(http.ResponseWriter) {},
		"in the answer": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<p>the first part")
			_ = http.NewResponseController(w).Flush()
		},
	}
	for name, begin := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			gone := make(chan struct{})
			url := site(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
				begin(w)
				stop()
				<-r.Context().Done()
				close(gone)
			}})
			got := use(t, ctx, tool.Fetch(inside), "", fields{"url": url})
			if got.Fate != bellcord.CallStopped || got.Failed || !strings.Contains(got.Text, "[stopped while running") {
				t.Errorf("%+v", got)
			}
			hungUp(t, gone)
		})
	}
	t.Run("before the connection is made safe", func(t *testing.T) {
		t.Parallel()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		mute, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer mute.Close()
		gone := make(chan struct{})
		go func() {
			conn, err := mute.Accept()
			for err == nil {
				_, err = conn.Read(make([]byte, 1024))
				stop() // during the handshake
			}
			close(gone)
		}()
		if got := use(t, ctx, tool.Fetch(inside), "", fields{"url": "https://" + mute.Addr().String()}); got.Fate != bellcord.CallStopped {
			t.Errorf("%+v", got)
		}
		hungUp(t, gone)
	})
}

func TestFetch_StoppedInAnswer_ReturnsTextSoFar(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<p>the first part")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}})
	for wait := 20 * time.Millisecond; ; wait *= 2 { // on a busy machine the first part may take longer
		ctx, done := context.WithTimeout(t.Context(), wait)
		got := use(t, ctx, tool.Fetch(inside), "", fields{"url": url})
		done()
		if strings.HasPrefix(got.Text, "[output so far]\n[200 OK, text/html, "+url+"]\n\nthe first part\n[stopped") {
			return
		}
		if got.Fate != bellcord.CallStopped || wait > 5*time.Second {
			t.Fatalf("%+v", got)
		}
	}
}
