//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/store"
)

// talk is a bellcord chat in a separate terminal.
type talk struct {
	*terminal
	t       *testing.T
	pidFile string
}

// chats starts a bellcord chat and waits until it is ready.
func (w *world) chats(args ...string) *talk {
	w.t.Helper()
	c := &talk{terminal: openTerminal(w.t), t: w.t, pidFile: filepath.Join(w.t.TempDir(), "pid")}
	w.t.Cleanup(c.hangUp)
	cmd := w.bellcord("chat")
	line := "cd '" + w.dir + "'; env"
	for _, pair := range cmd.Env[len(cmd.Env)-6:] {
		line += " '" + pair + "'"
	}
	line += " sh -c 'echo $$ >" + c.pidFile + "; exec \"" + cmd.Path + "\" chat " + strings.Join(args, " ") + "'; echo code=$?; stty -a | grep -o ' icanon'"
	c.types("-l", line)
	c.types("Enter")
	if strings.Contains(strings.Join(args, " "), "--plain") {
		c.sees("bellcord chat, plain")
	} else {
		c.sees("\n›")
	}
	return c
}

// chatsOnServer starts a bellcord chat with a session of a server, which has one
// turn.
func chatsOnServer(t *testing.T) *talk {
	t.Helper()
	w := newServerWorld(t)
	server := w.daemon(nil)
	session, _ := server.prompts("[say before]")
	c := w.chats("--session", string(session), "--server", server.url)
	c.sees("\nbefore")
	return c
}

// hangUp ends the chat and waits for its end: until then it writes to the data
// directory, which is removed next. The shell of the terminal reaps it.
func (c *talk) hangUp() {
	text, _ := os.ReadFile(c.pidFile)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return // it was never started
	}
	_ = syscall.Kill(pid, syscall.SIGHUP) // fails if it has ended
	comesTrue(c.t, "the end of the chat", func() bool { return syscall.Kill(pid, 0) != nil })
}

// enters types a text and presses Enter.
func (c *talk) enters(text string) {
	c.types("-l", text)
	c.types("Enter")
}

// answers selects an answer after the question has been shown long enough, and confirms it.
func (c *talk) answers(letter string) {
	c.t.Helper()
	<-time.After(2 * line.Settling)
	c.types(letter)
	c.sees("enter confirms")
	c.types("Enter")
}

// leaves exits with two Ctrl-C. They do not count right after the end of a turn.
func (c *talk) leaves() {
	c.t.Helper()
	<-time.After(1100 * time.Millisecond)
	c.types("C-c")
	c.sees("press ctrl+c again to exit")
	c.types("C-c")
	c.sees("code=0")
}

// scrollback returns the lines of the terminal's history and screen.
func (c *talk) scrollback() string { return c.tmux("capture-pane", "-p", "-J", "-S", "-") }

func (c *talk) pid() int { return numberIn(c.t, c.pidFile) }

// numberIn waits for a file that contains a number, and returns the number.
func numberIn(t *testing.T, path string) int {
	t.Helper()
	n := 0
	comesTrue(t, "a number in "+path, func() bool {
		text, _ := os.ReadFile(path)
		n, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return n > 0
	})
	return n
}

// comesTrue waits until holds returns true.
func comesTrue(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(30 * time.Second); !holds(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("it never came true: " + what)
		}
	}
}

// onlySession returns the world's only session.
func (w *world) onlySession() bellcord.SessionID {
	w.t.Helper()
	var id bellcord.SessionID
	s := settings{data: w.data}
	err := s.withStore(w.t.Context(), func(kept app.Store) error {
		all, err := kept.Sessions(w.t.Context(), store.SessionQuery{})
		if len(all) != 1 {
			w.t.Fatalf("there are %d sessions", len(all))
		}
		id = all[0].ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}
