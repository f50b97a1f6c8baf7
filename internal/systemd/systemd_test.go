//go:build unix

package systemd

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// manager opens the socket of a service manager.
func manager(t *testing.T, name string) *net.UnixConn {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// nextMessage returns the next message that the manager receives.
func nextMessage(t *testing.T, conn *net.UnixConn) string {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	word := make([]byte, 256)
	n, err := conn.Read(word)
	if err != nil {
		t.Fatal(err)
	}
	return string(word[:n])
}

// socketIn returns a path that is short enough for a socket. That of t.TempDir
// may not be.
func socketIn(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "notify")
}

func TestNotify_Socket_ReceivesTheState(t *testing.T) {
	t.Parallel()
	sockets := map[string]string{"a file": socketIn(t)}
	if runtime.GOOS == "linux" {
		sockets["an abstract socket"] = "@bellcord-test-" + strconv.Itoa(os.Getpid())
	}
	for name, socket := range sockets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := manager(t, socket)
			if err := notify(socket, Ready+"\nSTATUS=ready"); err != nil {
				t.Fatal(err)
			}
			if got := nextMessage(t, conn); got != "READY=1\nSTATUS=ready" {
				t.Errorf("heard %q", got)
			}
		})
	}
}

func TestNotify_UsesTheSocketOfTheEnvironment(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := Notify(Ready); err != nil {
		t.Errorf("without a manager: %v", err)
	}
	socket := socketIn(t)
	conn := manager(t, socket)
	t.Setenv("NOTIFY_SOCKET", socket)
	if err := Notify(Stopping); err != nil {
		t.Fatal(err)
	}
	if got := nextMessage(t, conn); got != "STOPPING=1" {
		t.Errorf("heard %q", got)
	}
}

func TestNotify_UnreachableSocket_ReturnsAnError(t *testing.T) {
	t.Parallel()
	for _, socket := range []string{filepath.Join(t.TempDir(), "nobody"), "vsock:2:1234", "relative"} {
		if err := notify(socket, Ready); err == nil {
			t.Errorf("%s: no error", socket)
		}
	}
}

func TestWatchdog_NotifiesTheSocketOfTheEnvironment(t *testing.T) {
	socket := socketIn(t)
	conn := manager(t, socket)
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", "20000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Watchdog(ctx, slog.New(slog.DiscardHandler), func(context.Context) error { return nil })
	}()
	for range 3 {
		if got := nextMessage(t, conn); got != "WATCHDOG=1" {
			t.Errorf("heard %q", got)
		}
	}
	stop()
	<-ended
}

func TestPatience_OtherProcessOrInvalidTimeout_IsZero(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, usec, pid string
		want            time.Duration
	}{
		{"ours", "30000000", "7", 30 * time.Second},
		{"nobody in particular", "30000000", "", 30 * time.Second},
		{"another's", "30000000", "8", 0},
		{"nobody waits", "", "", 0},
		{"not a number", "soon", "", 0},
		{"nothing", "0", "", 0},
		{"for ever", "9223372036854775807", "", 24 * time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := patience(test.usec, test.pid, 7); got != test.want {
				t.Errorf("waits %v, want %v", got, test.want)
			}
		})
	}
}

// words runs a watch for a minute with an interval of 5 s, and returns the
// times of its notifications.
func words(t *testing.T, healthy func(context.Context) error) (at []time.Duration, logged string) {
	t.Helper()
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, done := context.WithTimeout(t.Context(), time.Minute+time.Second)
		defer done()
		watch(ctx, 5*time.Second, logger, healthy, func() error {
			at = append(at, time.Since(began))
			return nil
		})
	})
	return at, log.String()
}

func TestWatch_Healthy_NotifiesTwicePerTimeout(t *testing.T) {
	t.Parallel()
	at, logged := words(t, func(context.Context) error { return nil })
	if logged != "" || len(at) != 13 || at[0] != 0 || at[1] != 5*time.Second {
		t.Errorf("told at %v", at)
	}
}

func TestWatch_SlowChecks_NeverNotifiesTooLate(t *testing.T) {
	t.Parallel()
	n := 0
	at, _ := words(t, func(ctx context.Context) error {
		n++
		if n%2 == 0 {
			select {
			case <-time.After(2400 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		return ctx.Err()
	})
	for i := 1; i < len(at); i++ {
		if gap := at[i] - at[i-1]; gap > 7500*time.Millisecond {
			t.Errorf("%v without a word", gap)
		}
	}
	if len(at) != 13 {
		t.Errorf("told at %v", at)
	}
}

func TestWatch_UnhealthyOrLate_DoesNotNotify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		healthy func(context.Context) error
	}{
		{"a check that fails", func(context.Context) error { return errors.New("the store does not answer") }},
		{"a check that is late", func(ctx context.Context) error { <-ctx.Done(); return nil }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at, logged := words(t, test.healthy)
			if len(at) > 0 || strings.Count(logged, "not healthy") != 1 {
				t.Errorf("told at %v, logged %s", at, logged)
			}
		})
	}
}

func TestWatch_CheckHangs_IsNotCalledAgainUntilItReturns(t *testing.T) {
	t.Parallel()
	calls := 0
	at, _ := words(t, func(context.Context) error {
		calls++
		if calls == 1 {
			<-time.After(21 * time.Second) // ignores its context
		}
		return nil
	})
	if len(at) != 8 || at[0] != 25*time.Second || calls != 9 {
		t.Errorf("asked %d times, told at %v", calls, at)
	}
}

func TestWatch_HealthyAgain_NotifiesAndLogs(t *testing.T) {
	t.Parallel()
	n := 0
	at, logged := words(t, func(context.Context) error {
		n++
		if n == 2 || n == 3 {
			return errors.New("for a while")
		}
		return nil
	})
	if len(at) != 11 || at[1] != 15*time.Second || strings.Count(logged, "\n") != 2 || !strings.Contains(logged, "for a while") {
		t.Errorf("told at %v, logged %s", at, logged)
	}
}
