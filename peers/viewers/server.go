package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// server is the real binary running as a server, with a fake model.
type server struct {
	dir     string
	model   io.Closer
	serve   *exec.Cmd
	drained chan struct{} // closed when its log ends
	url     string
	token   string
	headers string // file with the token as a header
	client  *client.Client
}

func openServer(ctx context.Context) (h *server, err error) {
	h = &server{drained: make(chan struct{})}
	defer func() {
		if err != nil {
			h.shutDown()
		}
	}()
	if h.dir, err = os.MkdirTemp("", "viewers"); err != nil {
		return h, err
	}
	var url string
	if h.model, url, err = fakemodel.New().Listen(""); err != nil {
		return h, err
	}
	program, err := h.program(ctx)
	if err != nil {
		return h, err
	}
	data := filepath.Join(h.dir, "data")
	h.serve = exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0", "--mode", "full", "--data-dir", data)
	h.serve.Env = append(os.Environ(), "OPENAI_API_KEY=x", "OPENAI_BASE_URL="+url, "BELLCORD_MODEL=openai/fake", "XDG_CONFIG_HOME="+filepath.Join(h.dir, "config"))
	if err = h.startServer(ctx); err != nil {
		return h, err
	}
	token, err := os.ReadFile(filepath.Join(data, "token"))
	if err != nil {
		return h, err
	}
	h.token, h.headers = strings.TrimSpace(string(token)), filepath.Join(h.dir, "headers")
	if err = os.WriteFile(h.headers, []byte("Authorization: Bearer "+h.token+"\n"), 0o600); err != nil {
		return h, err
	}
	h.client, err = client.New(h.url, h.token)
	return h, err
}

// program returns the path of the binary to test.
func (h *server) program(ctx context.Context) (string, error) {
	if named := os.Getenv("BELLCORD_BIN"); named != "" {
		return named, nil
	}
	path := filepath.Join(h.dir, "bellcord")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/bellcord/bellcord/cmd/bellcord").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, out)
	}
	return path, nil
}

// startServer starts the server and waits until it logs its address.
func (h *server) startServer(ctx context.Context) error {
	logged, err := h.serve.StderrPipe()
	if err != nil {
		return err
	}
	if err := h.serve.Start(); err != nil {
		return err
	}
	serving := make(chan string, 1)
	go h.drain(logged, serving)
	select {
	case h.url = <-serving:
		return nil
	case <-h.drained:
		return errors.New("the server exited before it served")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drain reads the server's log and prints every line that is not at level INFO.
func (h *server) drain(logged io.Reader, serving chan<- string) {
	defer close(h.drained)
	lines := bufio.NewScanner(logged)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry struct{ Level, Msg, URL string }
		if json.Unmarshal(lines.Bytes(), &entry) != nil || entry.Level != "INFO" {
			fmt.Fprintln(os.Stderr, lines.Text())
		}
		if entry.Msg == "serving" {
			serving <- entry.URL
		}
	}
}

// code returns a code with which a browser can log in.
func (h *server) code(ctx context.Context) (string, error) {
	var code api.Code
	err := h.fetch(ctx, http.MethodPost, "/v1/codes", &code)
	return code.Code, err
}

// record returns a session's stored events, each as its JSON. The first has number 1.
func (h *server) record(ctx context.Context, session bellcord.SessionID) ([]string, error) {
	var transcript struct{ Events []json.RawMessage }
	if err := h.fetch(ctx, http.MethodGet, "/v1/sessions/"+string(session)+"/transcript?format=json", &transcript); err != nil {
		return nil, err
	}
	var all []string
	for i, data := range transcript.Events {
		var event struct{ Seq int }
		if err := json.Unmarshal(data, &event); err != nil || event.Seq != i+1 {
			return nil, fmt.Errorf("recorded event %d is %s: %w", i+1, data, err)
		}
		all = append(all, string(data))
	}
	return all, nil
}

func (h *server) fetch(ctx context.Context, method, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, h.url+path, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s", method, path, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(into)
}

// leaving is the timeout of an orderly shutdown.
const leaving = 20 * time.Second

func (h *server) shutDown() {
	if h.serve != nil && h.serve.Process != nil {
		_ = h.serve.Process.Signal(os.Interrupt)
		select {
		case <-h.drained:
		case <-time.After(leaving):
			_ = h.serve.Process.Kill()
		}
		_ = h.serve.Wait()
	}
	if h.model != nil {
		_ = h.model.Close()
	}
	_ = os.RemoveAll(h.dir)
}
