//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

func init() { //nolint:gochecknoinits // it makes the test binary the program of the test below, before TestMain runs
	if tty := os.Getenv("BELLCORD_TEST_TYPES_ON"); tty != "" {
		_, err := os.Open("/dev/tty")
		fmt.Println("/dev/tty:", why(err))
		fmt.Println("TIOCSTI:", why(typeOn(tty)))
		os.Exit(0)
	}
}

// typeOn inserts a key into a terminal's input, as a program without privileges
// would.
func typeOn(tty string) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	none[0].Effective = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	none[0].Permitted = none[0].Effective
	if err := unix.Capset(&header, &none[0]); err != nil && os.Getuid() == 0 {
		return fmt.Errorf("dropping privileges: %w", err)
	}
	f, err := os.OpenFile(tty, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	key := byte('y')
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), unix.TIOCSTI, uintptr(unsafe.Pointer(&key)))
	if errno != 0 {
		return errno
	}
	return nil
}

func why(err error) string {
	var errno unix.Errno
	switch {
	case err == nil:
		return "allowed"
	case errors.As(err, &errno):
		return errno.Error()
	}
	return err.Error()
}

func TestRun_CommandOnTerminal_CannotOpenOrTypeOnIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withoutSandbox()
	result := filepath.Join(w.dir, "result")
	command := "BELLCORD_TEST_MAIN= BELLCORD_TEST_TYPES_ON=$(readlink /proc/$PPID/fd/0) '" + os.Args[0] + "' >result 2>&1"
	p := w.onTerminal("run", "--mode", "full", `[tool shell {"command":`+strconv.Quote(command)+`}]`)
	p.ends()
	got, err := os.ReadFile(result)
	if err != nil {
		t.Fatalf("%v; the terminal shows %s", err, p.shown())
	}
	if lines := strings.Split(string(got), "\n"); lines[0] != "/dev/tty: "+unix.ENXIO.Error() || lines[1] != "TIOCSTI: "+unix.EPERM.Error() && lines[1] != "TIOCSTI: "+unix.EIO.Error() {
		t.Errorf("the command got\n%swant no /dev/tty and no TIOCSTI", got)
	}
}

// together are keys that arrive in one read, each with a stop among them.
var together = map[string]string{"Esc Esc": "\x1b\x1b", "Esc Ctrl-C": "\x1b\x03", "Esc text": "\x1bno, wait", "Esc Please": "\x1bPlease stop"}

func TestChat_KeysInOneWriteDuringTurn_Stop(t *testing.T) {
	t.Parallel()
	for name, keys := range together {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.onTerminal("chat")
			p.sees("ready")
			for n := range 3 {
				p.types("[slow 6000 20ms]\r")
				comesTrue(t, "a turn runs", func() bool { return len(w.model.Requests()) == n+1 })
				p.types(keys)
				comesTrue(t, "the turn is stopped", func() bool {
					_, ends := w.record(w.onlySession())
					return len(ends) == n+1 && ends[n].End == bellcord.EndStopped
				})
				p.types("\x15") // removes the keys that were taken as text
			}
		})
	}
}

func TestAttach_KeysInOneWriteDuringTurn_Stop(t *testing.T) {
	t.Parallel()
	for name, keys := range together {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			run := w.starts("[slow 6000 20ms]")
			p := w.onTerminal("attach", string(run.until("text_delta").Session))
			p.sees("> [slow")
			p.types(keys)
			run.drain()
			if run.end == nil || run.end.End != bellcord.EndStopped || run.end.Cause.Source != "terminal" {
				t.Errorf("the turn ended %+v", run.end)
			}
		})
	}
}

func TestChat_KeysSentTogetherThroughTmux_Stop(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"Escape", "Escape"}, {"Escape", "C-c"}, {"Escape", "n", "o"}} {
		w := newWorld(t)
		c := w.chats()
		c.enters("[slow 6000 20ms]")
		c.sees("word9 ")
		c.types(keys...)
		c.sees("■ stopped after ")
	}
}

// touches is a prompt with a tool call that creates a file, after a question.
const touches = `[tool shell {"command":"echo it ran >ran"}]`

func TestQuestion_TypedAsItAppears_ApprovesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  []string
		first string
		shown string
	}{
		"chat":  {[]string{"chat"}, touches + "\r", "Run"},
		"plain": {[]string{"chat", "--plain"}, touches + "\n", "Run"},
		"run":   {[]string{"run", touches}, "", "? Run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.onTerminal(c.args...)
			if c.first != "" {
				p.sees(map[bool]string{true: "plain", false: "ready"}[name == "plain"])
				p.types(c.first)
			}
			p.sees(c.shown)
			p.types("y\r")
			<-time.After(2 * line.Settling)
			if _, err := os.Stat(filepath.Join(w.dir, "ran")); err == nil {
				t.Fatalf("the command ran; the terminal shows %s", p.shown())
			}
			if name == "chat" { // y is selected, then confirmed
				p.types("y")
				<-time.After(line.Settling / 7)
				p.types("\r")
			} else {
				p.sees("; then Enter")
				p.types("y\n")
			}
			comesTrue(t, "the command ran", func() bool {
				_, err := os.Stat(filepath.Join(w.dir, "ran"))
				return err == nil
			})
		})
	}
}
