//go:build linux

package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// stage is the complete setup of a run, with the violations that were found.
type stage struct {
	t        *testing.T
	program  string // path of the bellcord binary
	seed     uint64
	dir      string
	evidence string // directory of the evidence; kept if a violation was found
	began    time.Time

	pg       *database
	bus      *bus
	model    *fakemodel.Server
	modelURL string
	nodes    []*node
	token    string
	marker   string // in the arguments of all processes of turns

	book  *book
	crowd *crowd
	watch *sampler

	disorders int // turns without a valid order of their responses
	late      int // model requests after the end of their turn, sent by a paused node

	mu    sync.Mutex
	found []violation
	exits map[string]int
}

// violation is a violated rule.
type violation struct{ kind, what string }

func newStage(t *testing.T, program string, seed uint64) *stage {
	t.Helper()
	s := &stage{
		t: t, program: program, seed: seed, began: time.Now(),
		model: fakemodel.New(), marker: fmt.Sprintf("0.0000%08d", rand.IntN(100_000_000)), exits: map[string]int{},
	}
	s.book = newBook(s)
	s.makeDirs()
	running, url, err := s.model.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	s.modelURL = url
	t.Cleanup(func() { _ = running.Close() })
	s.pg = newDatabase(t, s.dir)
	s.bus = newBus(t)
	for i := range 3 {
		s.nodes = append(s.nodes, s.newNode(i))
		if i == 0 { // the first start creates the tables and the token; the node restarts under the witness
			s.awaitNodes(s.nodes)
			s.seatWitness()
			s.nodes[0].restart()
		}
	}
	s.awaitNodes(s.nodes)
	token, err := os.ReadFile(filepath.Join(s.nodes[0].data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(token))
	return s
}

// makeDirs creates the directory of the run, with a path short enough for a
// socket, and the directory of the evidence.
func (s *stage) makeDirs() {
	s.t.Helper()
	dir, err := os.MkdirTemp("", "ch")
	if err == nil {
		err = os.Chmod(dir, 0o755) //nolint:gosec // PostgreSQL runs as another user
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.dir, s.evidence = dir, s.t.ArtifactDir()
	s.t.Cleanup(func() { _ = os.RemoveAll(dir) })
}

// awaitNodes waits until the nodes serve.
func (s *stage) awaitNodes(nodes []*node) {
	s.t.Helper()
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		up := 0
		for _, n := range nodes {
			if url, _ := n.address(); url != "" {
				up++
			}
		}
		if up == len(nodes) {
			return
		}
		if time.Since(began) > time.Minute {
			s.t.Fatalf("%d of %d nodes serve; their logs are in %s", up, len(nodes), s.keep())
		}
	}
}

// accuse records a violation.
func (s *stage) accuse(kind, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found = append(s.found, violation{kind, fmt.Sprintf(format, args...)})
}

// mostShown is how many violations of a kind are printed in full.
const mostShown = 5

// violations returns the violations found, a few of each kind.
func (s *stage) violations() []violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[string]int{}
	var all []violation
	for _, v := range s.found {
		if seen[v.kind]++; seen[v.kind] <= mostShown {
			all = append(all, v)
		}
	}
	return all
}

func (s *stage) violationCounts() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[string]int{}
	for _, v := range s.found {
		seen[v.kind]++
	}
	if len(seen) == 0 {
		return "no violations"
	}
	return fmt.Sprintf("%d violations %v", len(s.found), seen)
}

// keep copies the evidence to a directory that is not removed after the test.
func (s *stage) keep() string {
	kept, err := os.MkdirTemp("", "chaos-evidence-")
	if err == nil {
		err = s.book.write(filepath.Join(s.evidence, "acts.log"))
	}
	if err == nil {
		err = os.CopyFS(kept, os.DirFS(s.evidence))
	}
	if err != nil {
		return fmt.Sprintf("%s (not kept: %v)", s.evidence, err)
	}
	return kept
}

// noteExit counts the exit states of nodes.
func (s *stage) noteExit(state *os.ProcessState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exits[state.String()]++
}

// begin starts the crowd.
func (s *stage) begin(size crowdSize) {
	if s.watch == nil {
		s.watch = s.startSampler()
	}
	s.crowd = s.admit(size)
}

// since returns the time since the stage began.
func (s *stage) since() time.Duration { return time.Since(s.began) }

// within returns a context for the stage's own requests.
func within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
