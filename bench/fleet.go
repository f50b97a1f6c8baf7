package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// fleet is a server in another process, under load.
type fleet struct {
	cmd         *exec.Cmd
	addr, token string
	client      http.Client
	sessions    []string
	turns       []string
	viewers     []*viewer
	words, lost atomic.Int64
	broken      atomic.Int64
	reading     sync.WaitGroup

	mu   sync.Mutex
	lags []time.Duration
}

func startFleet(ctx context.Context, what string) (*fleet, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f := &fleet{cmd: exec.CommandContext(ctx, self, what)}
	f.client.Transport = &http.Transport{MaxIdleConnsPerHost: arrivals}
	f.cmd.Stderr = os.Stderr
	stdout, err := f.cmd.StdoutPipe()
	if err == nil {
		err = f.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	f.addr, f.token, _ = strings.Cut(strings.TrimSpace(line), " ")
	return f, err
}

func (f *fleet) endTurns() error {
	for _, v := range f.viewers {
		if v != nil && v.conn != nil {
			_ = v.conn.Close()
		}
	}
	f.reading.Wait()
	f.client.CloseIdleConnections()
	return errors.Join(f.cmd.Process.Signal(os.Interrupt), f.cmd.Wait())
}

// fill creates sessions, and watches and prompts in each.
func (f *fleet) fill(ctx context.Context, n int) error {
	f.sessions, f.turns, f.viewers = make([]string, n), make([]string, n), make([]*viewer, n)
	var next atomic.Int64
	var arriving sync.WaitGroup
	errs := make(chan error, arrivals)
	for range arrivals {
		arriving.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := f.addTurn(ctx, i); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	arriving.Wait()
	close(errs)
	return <-errs
}

// arrivals is the number of sessions that are created concurrently.
const arrivals = 32

func (f *fleet) addTurn(ctx context.Context, i int) (err error) {
	if f.sessions[i], err = f.post(ctx, "/v1/sessions", "", http.StatusCreated); err != nil {
		return err
	}
	v := &viewer{words: &f.words, lost: &f.lost}
	f.viewers[i] = v
	if i%20 == 0 {
		v.lags = f.lag
	}
	if err := v.watch(ctx, f.addr, f.token, f.sessions[i]); err != nil {
		return err
	}
	f.reading.Go(func() {
		if err := v.read(); err != nil {
			f.broken.Add(1)
		}
	})
	f.turns[i], err = f.post(ctx, "/v1/sessions/"+f.sessions[i]+"/turns", `{"text":"go"}`, http.StatusAccepted)
	return err
}

// stopSome stops twenty random turns per second, and replaces each with a new one.
func (f *fleet) stopSome(ctx context.Context, during time.Duration) ([]time.Duration, error) {
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	var took []time.Duration
	for end := time.Now().Add(during); time.Now().Before(end); <-ticker.C {
		i := rand.IntN(len(f.turns))
		began := time.Now()
		if _, err := f.post(ctx, "/v1/turns/"+f.turns[i]+"/stop", "", http.StatusOK); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		turn, err := f.post(ctx, "/v1/sessions/"+f.sessions[i]+"/turns", `{"text":"go"}`, http.StatusAccepted)
		if err != nil {
			return nil, err
		}
		f.turns[i] = turn
	}
	return took, nil
}

// post sends a request and returns the id in the response. An unexpected status is an error.
func (f *fleet) post(ctx context.Context, path, body string, want int) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+f.addr+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+f.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := f.client.Do(req)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return "", err
	}
	if resp.StatusCode != want {
		return "", fmt.Errorf("%s: %s: %s", path, resp.Status, text)
	}
	var answer struct{ ID string }
	err = json.Unmarshal(text, &answer) // before the return: its operands have no defined order
	return answer.ID, err
}

func (f *fleet) lag(took time.Duration) {
	f.mu.Lock()
	f.lags = append(f.lags, took)
	f.mu.Unlock()
}

func (f *fleet) dropEnded() {
	f.mu.Lock()
	f.lags = nil
	f.mu.Unlock()
}

// resident returns the resident memory of the other process.
func (f *fleet) resident() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", f.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0, errors.New("no VmRSS")
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	return kib << 10, err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
