package confine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
	"github.com/bellcord/bellcord/proc"
)

// early is the number of stops while a sandbox is created.
const early = 40

var stops = flag.Int("stops", 1, "number of stops of every animal at every level")

// levels are the sandboxes of Linux.
var levels = map[string]sandbox.Options{
	"bubblewrap": {Level: sandbox.Namespaces, Means: sandbox.Bubblewrap},
	"namespaces": {Level: sandbox.Namespaces, Means: sandbox.Bellcord},
	"landlock":   {Level: sandbox.Landlock},
}

func newPolicy(t *testing.T, o sandbox.Options) *confine.Policy {
	t.Helper()
	return newPolicyWith(t, o, proc.Options{AdoptOrphans: true})
}

func newPolicyWith(t *testing.T, o sandbox.Options, opts proc.Options) *confine.Policy {
	t.Helper()
	keeper, err := proc.Open("", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := keeper.Close(); err != nil {
			t.Error(err)
		}
	})
	box, err := sandbox.Open(t.Context(), sandbox.Require, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	return &confine.Policy{Keeper: keeper, Open: func() (*sandbox.Box, error) { return box, nil }, Network: sandbox.Proxy}
}

// output collects the output of a command.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) add(data []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(data)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func TestRun_CommandReachesForAHost_AsksOncePerSessionAndObeys(t *testing.T) {
	t.Parallel()
	for name, level := range levels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPolicy(t, level)
			var asked []string
			answer := netproxy.Refuse
			run := func() string {
				var out output
				dir := t.TempDir()
				exit, err := p.Run(t.Context(), confine.Command{
					Command: proc.Command{Args: []string{"/bin/sh", "-c", "curl -sS -i --max-time 20 http://host.invalid/ 2>&1; true"}, Dir: dir, Output: out.add},
					Session: "s", Dirs: []string{dir},
					Ask: func(_ context.Context, host string) (netproxy.Answer, error) {
						asked = append(asked, host)
						return answer, nil
					},
				}, nil)
				if err != nil || exit.Code != 0 {
					t.Fatalf("%+v, %v: %s", exit, err, out.String())
				}
				return out.String()
			}
			if text := run(); !strings.Contains(text, "403") || len(asked) != 1 || asked[0] != "host.invalid" {
				t.Errorf("refused: asked about %q: %s", asked, text)
			}
			answer = netproxy.Session
			if text := run(); strings.Contains(text, "403") || len(asked) != 2 {
				t.Errorf("allowed for the session: asked about %q: %s", asked, text)
			}
			if text := run(); strings.Contains(text, "403") || len(asked) != 2 {
				t.Errorf("allowed before: asked about %q: %s", asked, text)
			}
			p.Forget("s")
			if run(); len(asked) != 3 {
				t.Errorf("after the session's end: asked about %q", asked)
			}
		})
	}
}

func TestRun_CommandReachesForAServiceOfThisMachine_IsRefused(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	reached := make(chan struct{}, 100)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached <- struct{}{} })}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	for name, level := range levels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, dir := newPolicy(t, level), t.TempDir()
			p.Domains = []string{"127.0.0.1", "localhost"}
			var out output
			url := "http://" + listener.Addr().String()
			script := fmt.Sprintf("curl -sS --max-time 10 %s; curl -sS --noproxy '' --max-time 10 %s; curl -sS --noproxy '*' --max-time 10 %s; true", url, url, url)
			exit, err := p.Run(t.Context(), confine.Command{
				Command: proc.Command{Args: []string{"/bin/sh", "-c", script}, Dir: dir, Output: out.add}, Dirs: []string{dir},
			}, nil)
			if err != nil || exit.Code != 0 {
				t.Fatalf("%+v, %v: %s", exit, err, out.String())
			}
		})
	}
	t.Cleanup(func() {
		if len(reached) > 0 {
			t.Errorf("%d requests reached the service", len(reached))
		}
	})
}

func TestLaw15_StopOfTheZooInTheSandbox_LeavesNoProcess(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../proc/testdata/zoo.txt")
	if err != nil {
		t.Fatal(err)
	}
	animals := strings.Split(string(text), "\n== ")[1:]
	for name, level := range levels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, dir := newPolicy(t, level), t.TempDir()
			for _, animal := range animals {
				_, script, _ := strings.Cut(animal, "\n")
				for range *stops {
					stopAnimal(t, p, dir, strings.TrimSpace(script))
				}
			}
		})
	}
}

// stopAnimal stops a command at a random moment, and searches the processes of the
// machine for what is left.
func stopAnimal(t *testing.T, p *confine.Policy, dir, script string) {
	t.Helper()
	token := fmt.Sprintf("98764.%d%09d", os.Getpid(), rand.IntN(1e9))
	ctx, stop := context.WithTimeout(t.Context(), time.Duration(1+rand.IntN(150))*time.Millisecond)
	defer stop()
	exit, err := p.Run(ctx, confine.Command{
		Command: proc.Command{Args: []string{"/bin/sh", "-c", strings.ReplaceAll(script, "TOKEN", token)}, Dir: dir}, Dirs: []string{dir},
	}, nil)
	if err != nil && ctx.Err() == nil { // the time may be over before the start
		t.Fatal(err)
	}
	if found, _ := exec.Command("pgrep", "-f", token).Output(); len(found) > 0 || len(exit.Survivors) > 0 {
		t.Errorf("left: %s, survivors %v of %s", found, exit.Survivors, script)
	}
}

func TestSentence_MachineWithoutASandbox_WarnsAndTheCommandRuns(t *testing.T) {
	t.Parallel()
	p := newPolicy(t, levels["landlock"])
	box, err := sandbox.Open(t.Context(), sandbox.Auto, sandbox.Options{Level: sandbox.Seatbelt}) // this system has none
	if err != nil {
		t.Fatal(err)
	}
	p.Open = func() (*sandbox.Box, error) { return box, nil }
	var out output
	c := confine.Command{Command: proc.Command{Args: []string{"/bin/echo", "ran"}, Dir: t.TempDir(), Output: out.add}}
	if s := p.Sentence(c); !strings.Contains(s, "no sandbox on this machine") {
		t.Errorf("the question has %q", s)
	}
	if s := p.Describe(c); s == nil || s.Level != bellcord.SandboxNone || len(s.Gaps) == 0 {
		t.Errorf("the receipt has %+v", s)
	}
	if exit, err := p.Run(t.Context(), c, nil); err != nil || exit.Code != 0 || out.String() != "ran\n" {
		t.Errorf("%+v, %v: %s", exit, err, out.String())
	}
}

func TestRun_SandboxIsRequiredAndMissing_StartsNothingAndReturnsTheReasons(t *testing.T) {
	t.Parallel()
	p := newPolicy(t, levels["landlock"])
	p.Open = func() (*sandbox.Box, error) {
		return sandbox.Open(t.Context(), sandbox.Require, sandbox.Options{Level: sandbox.Seatbelt})
	}
	var out output
	c := confine.Command{Command: proc.Command{Args: []string{"/bin/echo", "ran"}, Dir: t.TempDir(), Output: out.add}}
	if _, err := p.Run(t.Context(), c, nil); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("Run: %v", err)
	}
	if _, err := p.Start(c); !errors.Is(err, sandbox.ErrUnavailable) {
		t.Errorf("Start: %v", err)
	}
	if out.String() != "" {
		t.Errorf("the command printed %q", out.String())
	}
}

func TestRun_StopsWhileTheSandboxIsCreated_DoNotTakeTheGracePeriod(t *testing.T) {
	t.Parallel()
	for name, level := range levels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPolicyWith(t, level, proc.Options{Grace: time.Minute, AdoptOrphans: true})
			dir := t.TempDir()
			for range early {
				wait := rand.N(50 * time.Millisecond)
				ctx, cancel := context.WithTimeout(t.Context(), wait)
				exit, err := p.Run(ctx, confine.Command{
					Command: proc.Command{Args: []string{"/bin/sleep", "3600"}, Dir: dir}, Dirs: []string{dir},
				}, nil)
				cancel()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				if exit.Took >= time.Minute {
					t.Errorf("a stop after %s took %s: %+v", wait, exit.Took, exit.Ended)
				}
			}
		})
	}
}

func TestRun_CommandIsStopped_ReportListsTheSameProcessesAtEveryLevel(t *testing.T) {
	t.Parallel()
	const script = "sleep 3600 & a=$!; sleep 3601 & for p in $a $!; do until [ x$(head -c 5 /proc/$p/cmdline) = xsleep ]; do :; done; done; echo ready; wait"
	for name, level := range levels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPolicyWith(t, level, proc.Options{Grace: time.Minute, AdoptOrphans: true})
			dir := t.TempDir()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			exit, err := p.Run(ctx, confine.Command{
				Command: proc.Command{Args: []string{"/bin/sh", "-c", script}, Name: "two sleeps", Dir: dir, Output: func([]byte) { stop() }},
				Dirs:    []string{dir},
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, e := range exit.Ended {
				names = append(names, e.Name)
			}
			slices.Sort(names[1:])
			if want := []string{"two sleeps", "sleep 3600", "sleep 3601"}; !slices.Equal(names, want) {
				t.Errorf("ended %+v, want %q", exit, want)
			}
		})
	}
}
