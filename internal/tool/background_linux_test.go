package tool_test

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/tool"
)

// server is a command that prints a free port after a while, and answers each
// connection to it in a child process.
const server = `sleep %s; exec perl -MIO::Socket::INET -e '` +
	`$s = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1") or die; $| = 1; print "port " . $s->sockport . "\n"; $SIG{CHLD} = "IGNORE"; ` +
	`while ($c = $s->accept) { if (!fork) { print $c "hello from the server\n"; exit } close $c }'`

// client returns a command that prints what a server sends.
func client(port string) string {
	return `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("127.0.0.1:` + port + `") or die "refused: $!\n"; print <$s>'`
}

// background is a session that uses the tools shell and end_command.
type background struct {
	t          *testing.T
	shell, end tool.Tool
	dir        string
}

func newBackground(t *testing.T, o *sandbox.Options) background {
	t.Helper()
	keeper, resources := ownKeeper(t)
	if o != nil {
		box, err := sandbox.Open(t.Context(), sandbox.Require, *o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(box.Close)
		resources.Confine = &confine.Policy{Keeper: keeper, Open: func() (*sandbox.Box, error) { return box, nil }, Network: sandbox.Proxy}
	}
	t.Cleanup(func() { resources.End("s") })
	return background{t, tool.Shell(keeper, resources), tool.EndCommand(resources), homeDir(t)}
}

func (b background) runs(args map[string]any) tool.Result {
	b.t.Helper()
	return b.shell.Run(b.t.Context(), tool.Call{Session: "s", Dir: b.dir, Mode: permit.Ask, Output: func(string) {}, Args: arguments(b.t, args)})
}

var startedAs = regexp.MustCompile(`pid (\d+), .* output in (\S+)\]`)

// starts starts a server in the background after a delay, and returns its pid and a
// function that waits for its port.
func (b background) starts(delay string) (pid int, port func() string) {
	b.t.Helper()
	found := startedAs.FindStringSubmatch(b.runs(map[string]any{"command": fmt.Sprintf(server, delay), "background": true}).Text)
	if found == nil {
		b.t.Fatal("it did not start")
	}
	pid, _ = strconv.Atoi(found[1])
	return pid, func() string {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			text, _ := os.ReadFile(found[2])
			if _, port, is := strings.Cut(strings.TrimSpace(string(text)), "port "); is {
				return port
			}
			if b.t.Context().Err() != nil {
				break
			}
		}
		return ""
	}
}

// namespaces are the sandboxes with separate networks, and none.
func namespaces() map[string]*sandbox.Options {
	return map[string]*sandbox.Options{
		"no sandbox": nil,
		"bubblewrap": {Level: sandbox.Namespaces, Means: sandbox.Bubblewrap},
		"namespaces": {Level: sandbox.Namespaces, Means: sandbox.Bellcord},
	}
}

func TestShell_ServerInTheBackground_IsReachedByLaterCommandsUntilItEnds(t *testing.T) {
	t.Parallel()
	for name, level := range namespaces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackground(t, level)
			pid, port := b.starts("0")
			for range 3 {
				if r := b.runs(map[string]any{"command": client(port())}); r.Failed || !strings.Contains(r.Text, "hello from the server") {
					t.Fatalf("%+v", r)
				}
			}
			if r := b.runs(map[string]any{"command": "kill -0 " + strconv.Itoa(pid)}); strings.Contains(r.Text, "end_command") != (level != nil) {
				t.Errorf("a kill: %+v", r)
			}
			for _, own := range []string{"sleep 50 & kill %1; wait $!", "sleep 50 & kill $!; wait $!"} {
				if r := b.runs(map[string]any{"command": own}); !r.Failed || strings.Contains(r.Text, "end_command") {
					t.Errorf("%s: %+v", own, r)
				}
			}
			end := func() tool.Result {
				return b.end.Run(t.Context(), tool.Call{Session: "s", Args: arguments(t, map[string]any{"pid": pid})})
			}
			if r := end(); r.Failed || !strings.Contains(r.Text, "ended, ") || r.Processes == nil || r.Processes.Proof == "" {
				t.Errorf("%+v", r)
			}
			if r := b.runs(map[string]any{"command": client(port())}); !r.Failed || !strings.Contains(r.Text, "refused: ") {
				t.Errorf("after its end: %+v", r)
			}
			if r := end(); r.Failed {
				t.Errorf("the second end: %+v", r)
			}
		})
	}
}

// A command often starts before the server that it waits for listens.
func TestShell_ServerListensDuringACommand_IsReached(t *testing.T) {
	t.Parallel()
	for name, level := range namespaces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			free, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			_, port, _ := net.SplitHostPort(free.Addr().String())
			_ = free.Close()
			b := newBackground(t, level)
			command := strings.Replace(fmt.Sprintf(server, "1"), "127.0.0.1", "127.0.0.1:"+port, 1)
			if r := b.runs(map[string]any{"command": command, "background": true}); r.Failed {
				t.Fatalf("%+v", r)
			}
			waits := "for i in $(seq 100); do " + client(port) + " 2>/dev/null && exit; sleep 0.1; done; exit 1"
			if r := b.runs(map[string]any{"command": waits}); r.Failed || !strings.Contains(r.Text, "hello from the server") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Services of the machine stay out of reach, also while the session has a server.
func TestShell_ServiceOfTheMachineBesideAServer_IsNotReached(t *testing.T) {
	t.Parallel()
	service, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = service.Close() }()
	_, port, _ := net.SplitHostPort(service.Addr().String())
	for name, level := range namespaces() {
		if level == nil {
			continue
		}
		b := newBackground(t, level)
		_, started := b.starts("0")
		started()
		if r := b.runs(map[string]any{"command": client(port)}); !r.Failed || !strings.Contains(r.Text, "refused: ") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A server at another loopback address does not open the same port of 127.0.0.1.
func TestShell_ServerAtThePortOfAService_IsReachedInsteadOfTheService(t *testing.T) {
	t.Parallel()
	for name, level := range namespaces() {
		if level == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = service.Close() }()
			_, port, _ := net.SplitHostPort(service.Addr().String())
			b := newBackground(t, level)
			command := strings.Replace(fmt.Sprintf(server, "0"), "127.0.0.1", "127.0.0.2:"+port, 1)
			if r := b.runs(map[string]any{"command": command, "background": true}); r.Failed {
				t.Fatalf("%+v", r)
			}
			waits := "for i in $(seq 100); do timeout 5 " + client(port) + " 2>/dev/null && exit; sleep 0.1; done; exit 1"
			if r := b.runs(map[string]any{"command": waits}); r.Failed || !strings.Contains(r.Text, "hello from the server") {
				t.Errorf("%+v", r)
			}
			_ = service.(*net.TCPListener).SetDeadline(time.Now())
			if conn, err := service.Accept(); err == nil {
				_ = conn.Close()
				t.Error("the service was reached")
			}
		})
	}
}

func TestEndCommand_UnknownPID_EndsNothing(t *testing.T) {
	t.Parallel()
	b := newBackground(t, nil)
	pid, port := b.starts("0")
	port()
	for _, call := range []tool.Call{
		{Session: "s", Args: arguments(t, map[string]any{"pid": os.Getpid()})},
		{Session: "other", Args: arguments(t, map[string]any{"pid": pid})}, // of another session
	} {
		if r := b.end.Run(t.Context(), call); !r.Failed || !strings.Contains(r.Text, "no command in the background has the pid") {
			t.Errorf("%+v", r)
		}
	}
	if !alive(pid) {
		t.Error("the command has ended")
	}
	if call := b.end.Permission(b.dir, arguments(t, map[string]any{"pid": pid})); call.Effect != permit.Reads {
		t.Errorf("%+v", call)
	}
}
