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

// The variables that turn the test binary into a wiretap.
const (
	tapFolder  = "BELLCORD_WIRETAP"       // where the record goes
	tapCommand = "BELLCORD_WIRETAP_AGENT" // the agent's command line, a JSON list
)

// tapBound ends a wiretap whose client has forgotten it.
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

// wiretap starts the agent and passes everything on, the pieces as they came: a
// prompt and a cancel in one write stay in one write. A frame is written down
// before its last byte is passed on, so the record has causes before effects.
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
	signal.Ignore(syscall.SIGPIPE) // a client that has gone is told of by an error
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
	_ = agent.Wait() // its code says it
	code := agent.ProcessState.ExitCode()
	record.add("exit", 0, fmt.Sprint(code))
	return code, record.err
}

type recorder struct {
	mu  sync.Mutex
	out io.Writer
	err error // the first one
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

// copy passes on what comes until it ends. When nobody takes it any more it is
// still written down.
func (r *recorder) copy(from string, to io.Writer, in io.Reader) {
	var line []byte
	piece := make([]byte, 64<<10)
	for write := 1; ; write++ {
		n, err := in.Read(piece)
		line = append(line, piece[:n]...)
		for {
			text, rest, whole := bytes.Cut(line, []byte("\n"))
			if !whole {
				break
			}
			r.add(from, write, string(text))
			line = rest
		}
		_, _ = to.Write(piece[:n])
		if err != nil {
			if len(line) > 0 {
				r.add(from, write, string(line)) // no frame: the audit will say so
			}
			return
		}
	}
}

// readRecords returns the records in the folder, one for each process of an
// agent, in the order they were started.
func readRecords(t *testing.T, folder string) [][]frame {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.jsonl")) // sorted, and so by time
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
