//go:build linux

package chaos_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// verb is the kind of a client's request.
type verb string

const (
	prompted verb = "prompt"
	stopped  verb = "stop"
	gotTurn  verb = "get"
	cleared  verb = "stop session" // every running turn of the session
	drained  verb = "drain"        // a graceful shutdown of the node, which stops its turns
)

// act is one request of a client with its response. A request without a
// response may have taken effect, or may still do so.
type act struct {
	verb    verb
	node    int // node that received the request
	life    int // which of the node's processes
	turn    bellcord.TurnID
	session bellcord.SessionID
	text    string // text of a prompt
	why     string // reason of a stop; unique, so that the stored stop can be identified
	drops   bool   // the stop also drops the turns queued behind

	called, returned time.Duration
	answered         bool
	status           int
	problem          string // type of the problem of a refusal
	found            *api.Turn
	stop             *api.Stopped
}

// book records the requests and responses of all clients.
type book struct {
	s *stage

	mu     sync.Mutex
	acts   []act
	rooms  map[bellcord.SessionID]*sessionLog
	shown  int // events shown, summed over all viewers
	recent []bellcord.TurnID
}

func newBook(s *stage) *book {
	return &book{s: s, rooms: map[bellcord.SessionID]*sessionLog{}}
}

// mostRecent is how many turns are kept as candidates for stops and reads.
const mostRecent = 60

// note adds an act that has completed or was given up.
func (b *book) note(a act) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.acts = append(b.acts, a)
}

// meet adds a turn's id, also before the turn is prompted.
func (b *book) meet(id bellcord.TurnID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.recent = append(b.recent, id)
	if len(b.recent) > mostRecent {
		b.recent = b.recent[1:]
	}
}

// anyTurn returns one of the recent turns; pick chooses an index below n.
func (b *book) anyTurn(pick func(n int) int) (bellcord.TurnID, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.recent) == 0 {
		return "", false
	}
	return b.recent[pick(len(b.recent))], true
}

// sessionLog is a session with the events that were seen of it.
type sessionLog struct {
	id bellcord.SessionID

	mu      sync.Mutex
	sent    int                      // number of prompts
	unended map[bellcord.TurnID]bool // prompts without an observed end
	retired bool                     // receives no more prompts
	shown   []string                 // events as the first viewer received them, starting with number 1
}

func (b *book) open(id bellcord.SessionID) *sessionLog {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := &sessionLog{id: id, unended: map[bellcord.TurnID]bool{}}
	b.rooms[id] = r
	return r
}

func (r *sessionLog) sends(id bellcord.TurnID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unended[id] = true
	r.sent++
}

func (r *sessionLog) backlog() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.unended)
}

func (r *sessionLog) ended(id bellcord.TurnID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unended, id)
}

func (r *sessionLog) retire() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retired = true
}

// quiet reports whether no more events are expected.
func (r *sessionLog) quiet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.retired && len(r.unended) == 0
}

// show compares an event with the one that other viewers received under the
// same number.
func (r *sessionLog) show(seq int, data string) (before string, same bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq <= len(r.shown) {
		return r.shown[seq-1], r.shown[seq-1] == data
	}
	r.shown = append(r.shown, data) // viewers have no gaps, so this is the event's index
	return data, true
}

// write writes all acts to a file in a readable form.
func (b *book) write(path string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var text strings.Builder
	for _, a := range b.acts {
		state := ""
		if a.stop != nil {
			state = fmt.Sprintf("%s recorded %v", a.stop.State, a.stop.Recorded)
		} else if a.found != nil {
			state = string(a.found.State)
		}
		fmt.Fprintf(&text, "%v-%v %s-%d %s turn %s session %s: %d %s %s why %s\n", a.called, a.returned, b.s.nodes[a.node].name, a.life, a.verb, a.turn, a.session, a.status, a.problem, state, a.why)
	}
	return os.WriteFile(path, []byte(text.String()), 0o600)
}
