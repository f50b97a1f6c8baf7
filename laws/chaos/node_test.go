//go:build linux

package chaos_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// node is a bellcord serve that is restarted whenever it ends.
type node struct {
	s      *stage
	index  int
	name   string
	data   string
	config string
	pg     gates
	nats   gates
	log    *os.File
	ended  chan struct{} // closed when it is not restarted any more

	mu        sync.Mutex
	cmd       *exec.Cmd
	life      int    // number of the current process
	url       string // "" while the node does not serve
	down      time.Duration
	troubles  int       // current faults that keep the node from the database
	calmSince time.Time // end of the last such fault, or start of serving
	closing   bool
}

func (s *stage) newNode(index int) *node {
	s.t.Helper()
	n := &node{s: s, index: index, name: string(rune('a' + index)), ended: make(chan struct{})}
	n.data, n.config = filepath.Join(s.dir, n.name), filepath.Join(s.dir, n.name+".toml")
	n.pg = gates{newGate(s.t, fmt.Sprintf("127.0.0.1:%d", s.pg.port))}
	for _, port := range s.bus.ports {
		n.nats = append(n.nats, newGate(s.t, fmt.Sprintf("127.0.0.1:%d", port)))
	}
	text := fmt.Sprintf("[serve]\nrequests_per_second = 0 # the guests are in a hurry\nshutdown_grace = \"2s\"\n[cluster]\nlease_duration = %q\nnode_name = %q\n", lease.String(), n.name)
	if err := os.WriteFile(n.config, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	var err error
	if n.log, err = os.Create(filepath.Join(s.evidence, "node-"+n.name+".log")); err != nil {
		s.t.Fatal(err)
	}
	go n.live()
	s.t.Cleanup(n.close)
	return n
}

// live runs the node and restarts it until the stage ends.
func (n *node) live() {
	defer close(n.ended)
	for {
		n.mu.Lock()
		if n.closing {
			n.mu.Unlock()
			return
		}
		errs, err := n.start()
		n.mu.Unlock()
		if err != nil {
			n.s.t.Errorf("starting node %s: %v", n.name, err)
			return
		}
		n.listen(errs)
		_ = n.cmd.Wait()
		n.mu.Lock()
		n.leave()
		down := n.down + 100*time.Millisecond + rand.N(200*time.Millisecond)
		n.down = 0
		n.mu.Unlock()
		<-time.After(down)
	}
}

// start starts a process. The caller holds the lock.
func (n *node) start() (io.Reader, error) {
	n.life++
	args := []string{
		"serve", "--addr", "127.0.0.1:0", "--mode", "full", "--model", "openai/fake", "--data-dir", n.data, "--config", n.config,
		"--store-url", n.s.pg.url(n.pg[0].port(), fmt.Sprintf("%s-%d", n.name, n.life)),
	}
	if withNATS {
		var urls []string
		for _, g := range n.nats {
			urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", g.port()))
		}
		args = append(args, "--nats", strings.Join(urls, ","))
	}
	n.cmd = exec.Command(n.s.program, args...)
	n.cmd.Dir = n.s.dir
	n.cmd.Env = append(os.Environ(), "OPENAI_API_KEY=x", "OPENAI_BASE_URL="+n.s.modelURL, "XDG_CONFIG_HOME="+n.s.dir, fmt.Sprintf("%s=%d", clockEnv, wrongBy(n.index, n.life)))
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	errs, err := n.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	return errs, n.cmd.Start()
}

// wrongBy returns by how many seconds the clock of a node's process is wrong. It
// changes with each restart.
func wrongBy(index, life int) int { return []int{0, 10, -10}[(index+life)%3] }

// clock returns by how many seconds the clock of the current process is wrong.
func (n *node) clock() int {
	_, life := n.address()
	return wrongBy(n.index, life)
}

// listen reads the process's output until it ends.
func (n *node) listen(errs io.Reader) {
	lines := bufio.NewScanner(errs)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, _ = fmt.Fprintf(n.log, "%s-%d %s\n", n.name, n.life, lines.Text()) // no audit depends on the log
		var entry struct{ Msg, URL string }
		switch line := lines.Text(); {
		case json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "serving":
			n.mu.Lock()
			n.url, n.calmSince = entry.URL, time.Now()
			n.mu.Unlock()
		case strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "DATA RACE"):
			n.s.accuse("a node panicked", "%s-%d: %s", n.name, n.life, line)
		}
	}
}

// leave records how the process ended. The caller holds the lock.
func (n *node) leave() {
	n.url = ""
	_, _ = fmt.Fprintf(n.log, "%s-%d ended: %v\n", n.name, n.life, n.cmd.ProcessState)
	n.s.noteExit(n.cmd.ProcessState)
}

// address returns the node's current URL and the number of its process.
func (n *node) address() (url string, life int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.url, n.life
}

// signal sends a signal to the current process.
func (n *node) signal(sig syscall.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd != nil && n.cmd.Process != nil {
		_ = n.cmd.Process.Signal(sig) // fails only if the process has ended
	}
}

// restart ends the process gracefully; it is then started again.
func (n *node) restart() {
	n.mu.Lock()
	n.url = ""
	n.mu.Unlock()
	n.signal(syscall.SIGTERM)
}

// stayDown sets how long the node stays down after its next end.
func (n *node) stayDown(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = d
}

// troubled marks the node as unable to reach the database until the returned
// function is called.
func (n *node) troubled() (over func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.troubles++
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.troubles--
		n.calmSince = time.Now()
	}
}

// calmFor returns for how long the node has been able to work.
func (n *node) calmFor() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.url == "" || n.troubles > 0 {
		return 0
	}
	return time.Since(n.calmSince)
}

func (n *node) close() {
	n.mu.Lock()
	n.closing = true
	n.mu.Unlock()
	n.signal(syscall.SIGKILL)
	<-n.ended
	_ = n.log.Close()
}
