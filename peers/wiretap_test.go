package peers_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Variables that make the test binary run as a wiretap.
const (
	tapFolder  = "BELLCORD_WIRETAP"       // folder of the record
	tapCommand = "BELLCORD_WIRETAP_AGENT" // the agent's command line, as a JSON list
)

// tapBound ends a wiretap that its client has abandoned.
const tapBound = 2 * time.Minute

func TestMain(m *testing.M) {
	if folder := os.Getenv(tapFolder); folder != "" {
		code, err := wiretap(folder)
		if err != nil {
			fmt.Fprintln(os.Stderr, "wiretap:", err)
		}
		os.Exit(code)
	}
	code := m.Run()
	removeBuilt()
	os.Exit(code)
}

// frame is one line of a record.
type frame struct {
	At    time.Time `json:"at"`
	From  string    `json:"from"`  // client, agent, or exit: the agent's code
	Write int       `json:"write"` // frames with the same number came in one piece
	Text  string    `json:"text"`
}

// wiretap starts the agent and forwards everything in the same pieces: a prompt and a cancel in one
// write stay in one write. A frame is recorded before its last byte is forwarded, so the record has
// causes before effects.
func wiretap(folder string) (int, error) {
	var command []string
	if err := json.Unmarshal([]byte(os.Getenv(tapCommand)), &command); err != nil {
		return 1, err
	}
	name := filepath.Join(folder, fmt.Sprintf("%d-%d.jsonl", time.Now().UnixNano(), os.Getpid()))
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 1, err
	}
	record := &recorder{out: file}
	agent := exec.Command(command[0], command[1:]...)
	agent.Stderr = os.Stderr
	in, err := agent.StdinPipe()
	if err != nil {
		return 1, err
	}
	out, err := agent.StdoutPipe()
	if err != nil {
		return 1, err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGPIPE) // a client that has exited causes a write error
	if err := agent.Start(); err != nil {
		return 1, err
	}
	time.AfterFunc(tapBound, func() { _ = agent.Process.Kill() })
	go func() { // ends with the process
		for sig := range signals {
			_ = agent.Process.Signal(sig)
		}
	}()
	go func() { // the client may never close its end; then this ends with the process
		record.copy("client", in, os.Stdin)
		_ = in.Close()
	}()
	record.copy("agent", os.Stdout, out)
	_ = agent.Wait() // the exit code is recorded below
	code := agent.ProcessState.ExitCode()
	record.add("exit", 0, fmt.Sprint(code))
	return code, record.err
}

type recorder struct {
	mu  sync.Mutex
	out io.Writer
	err error // the first error
}

func (r *recorder) add(from string, write int, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, err := json.Marshal(frame{At: time.Now(), From: from, Write: write, Text: text})
	if err == nil {
		_, err = r.out.Write(append(line, '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}

// copy forwards everything until the input ends. When the other side no longer accepts data, it
// still records.
func (r *recorder) copy(from string, to io.Writer, in io.Reader) {
	var line []byte
	piece := make([]byte, 64<<10)
	for write := 1; ; write++ {
		n, err := in.Read(piece)
		line = append(line, piece[:n]...)
		for {
			text, rest, found := bytes.Cut(line, []byte("\n"))
			if !found {
				break
			}
			r.add(from, write, string(text))
			line = rest
		}
		_, _ = to.Write(piece[:n])
		if err != nil {
			if len(line) > 0 {
				r.add(from, write, string(line)) // an incomplete frame: the audit reports it
			}
			return
		}
	}
}

// readRecords returns the records in the folder, one for each process of an agent, in the order in
// which they were started.
func readRecords(t *testing.T, folder string) [][]frame {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.jsonl")) // sorted by time, which the names begin with
	if err != nil {
		t.Fatal(err)
	}
	var records [][]frame
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var frames []frame
		lines := bufio.NewScanner(strings.NewReader(string(data)))
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var f frame
			if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			frames = append(frames, f)
		}
		records = append(records, frames)
	}
	return records
}
