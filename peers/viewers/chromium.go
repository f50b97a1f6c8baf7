package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// errNoBrowser means that no browser is installed.
var errNoBrowser = errors.New("no chromium, chromium-browser or google-chrome in PATH")

func findBrowser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoBrowser
}

// chromium is a headless browser, driven by the DevTools protocol over a pipe: JSON messages, each
// followed by a NUL. It opens no port, so no other process can drive it.
type chromium struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	onEvent func(page, method string, params json.RawMessage) // called with events, one at a time
	exited  chan struct{}                                     // closed when its output ends

	mu      sync.Mutex
	calls   int
	waiting map[int]chan message
}

type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"` // the page's
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

func startChromium(ctx context.Context, profile string, heed func(page, method string, params json.RawMessage)) (*chromium, error) {
	path, err := findBrowser()
	if err != nil {
		return nil, err
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // file descriptors 3 and 4
	err = errors.Join(cmd.Start(), theirIn.Close(), theirOut.Close())
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	b := &chromium{cmd: cmd, in: in, onEvent: heed, exited: make(chan struct{}), waiting: map[int]chan message{}}
	go b.listen(out)
	return b, nil
}

func (b *chromium) listen(out io.ReadCloser) {
	defer close(b.exited)
	defer func() { _ = out.Close() }()
	lines := bufio.NewReader(out)
	for {
		text, err := lines.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) != nil {
			return // not the protocol: pending calls fail because exited is closed
		}
		if m.ID == 0 {
			b.onEvent(m.Session, m.Method, m.Params)
			continue
		}
		b.mu.Lock()
		answer := b.waiting[m.ID]
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	}
}

// callMethod calls a method of the browser, or of a page if one is given, and
// decodes the result into the given value, unless it is nil.
func (b *chromium) callMethod(ctx context.Context, page, method string, params map[string]any, into any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	b.calls++
	id := b.calls
	b.waiting[id] = answer
	text, err = json.Marshal(message{ID: id, Session: page, Method: method, Params: text})
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(m.Result, into)
	case <-b.exited:
		return fmt.Errorf("%s: the browser has exited", method)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// quit closes the browser, and kills it if it does not exit.
func (b *chromium) quit() {
	ctx, done := context.WithTimeout(context.Background(), 5*time.Second)
	defer done()
	_ = b.callMethod(ctx, "", "Browser.close", map[string]any{}, nil)
	defer context.AfterFunc(ctx, func() { _ = b.cmd.Process.Kill() })()
	_ = b.cmd.Wait()
	_ = b.in.Close()
}
