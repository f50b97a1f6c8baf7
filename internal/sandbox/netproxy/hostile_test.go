package netproxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/piped"
	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
)

func TestServe_InvalidRequests_AreAnsweredAndNotPassedOn(t *testing.T) {
	t.Parallel()
	proxy := serve(t, netproxy.Policy{
		Domains: []string{"localhost"},
		Check: func(addr netip.Addr) error {
			t.Errorf("dialed %v", addr)
			return errors.New("refused")
		},
		Ask: func(_ context.Context, host string) (netproxy.Answer, error) {
			t.Errorf("asked about %q", host)
			return netproxy.Refuse, nil
		},
	})
	for name, test := range map[string]struct{ request, status string }{
		"huge header":        {"GET http://localhost/ HTTP/1.1\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n", "431"},
		"endless first line": {strings.Repeat("GET", 40<<10), "431"},
		"not HTTP":           {"\x16\x03\x01\x02\x00\x01\r\n\r\n", "400"},
		"no absolute URL":    {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
		"another scheme":     {"GET https://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
		"no port":            {"CONNECT localhost HTTP/1.1\r\n\r\n", "400"},
		"port 0":             {"CONNECT localhost:0 HTTP/1.1\r\n\r\n", "400"},
		"port by name":       {"CONNECT localhost:https HTTP/1.1\r\n\r\n", "400"},
		"empty host":         {"CONNECT :443 HTTP/1.1\r\n\r\n", "400"},
		"wildcard":           {"CONNECT *.localhost:443 HTTP/1.1\r\n\r\n", "400"},
		"invalid host":       {"CONNECT local\x7fhost:443 HTTP/1.1\r\n\r\n", "400"},
		"long host":          {"CONNECT " + strings.Repeat("a.", 200) + "org:443 HTTP/1.1\r\n\r\n", "400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if answer := exchange(t, proxy, test.request); !strings.HasPrefix(answer, "HTTP/1.1 "+test.status+" ") {
				t.Errorf("%.200q", answer)
			}
		})
	}
}

func TestCheckDomain_Texts_AreAcceptedOrExplained(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"example.org", "*.example.org", "example.org:8080", "*.example.org:8443", "127.0.0.1", "::1", "[::1]:80", "localhost", "a_b.example.org"} {
		if err := netproxy.CheckDomain(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "*", "*.", "https://example.org", "example.org/path", "ex*mple.org", "*.*.org", "example.org:0", "example.org:http", "a..b", "a b"} {
		if netproxy.CheckDomain(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// A client that sends nothing, or stops in the middle of a header, is dropped.
func TestServe_SlowClient_IsDroppedAfterTimeout(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "GET http://example.org/ HTTP/1.1\r\nX: "} {
		synctest.Test(t, func(t *testing.T) {
			l := piped.Listen()
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- netproxy.Serve(ctx, l, netproxy.Policy{}) }()
			conn, err := l.Dial(ctx)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if _, err := io.WriteString(conn, text); err != nil {
				t.Error(err)
			}
			_, _ = io.ReadAll(conn)
			if took := time.Since(began); took != 10*time.Second {
				t.Errorf("dropped after %v", took)
			}
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestServe_ListenerFails_ReturnsError(t *testing.T) {
	t.Parallel()
	l := piped.Listen()
	_ = l.Close()
	if err := netproxy.Serve(t.Context(), l, netproxy.Policy{}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// Not parallel: no other test may start goroutines at the same time.
func TestServe_ContextEnds_ClosesEverything(t *testing.T) { //nolint:paralleltest // counts goroutines
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	base := runtime.NumGoroutine()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 1)
	p := netproxy.Policy{
		Domains: []string{silent.Addr().String()}, Check: anywhere,
		Ask: func(ctx context.Context, _ string) (netproxy.Answer, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return netproxy.Refuse, ctx.Err()
		},
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- netproxy.Serve(ctx, l, p) }()
	var conns []net.Conn
	for _, text := range []string{
		"", "GET http://", // half-open
		fmt.Sprintf("CONNECT %s HTTP/1.1\r\n\r\n", silent.Addr()),
		fmt.Sprintf("GET http://%s/ HTTP/1.1\r\n\r\n", silent.Addr()),
		fmt.Sprintf("POST http://%s/ HTTP/1.1\r\nContent-Length: 1000\r\n\r\nhalf", silent.Addr()),
		"CONNECT asked.example.org:443 HTTP/1.1\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		fmt.Fprint(conn, text)
	}
	<-asked
	for range 3 { // the tunnel and the two requests have reached the host
		conn, err := silent.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	tick := time.NewTicker(time.Millisecond) // the goroutine of this test may not be gone yet
	defer tick.Stop()
	for bound := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > base; <-tick.C {
		if time.Now().After(bound) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, before %d\n%s", runtime.NumGoroutine(), base, stacks[:runtime.Stack(stacks, true)])
		}
	}
	for _, conn := range conns {
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a connection is open: %v", err)
		}
		_ = conn.Close()
	}
}
