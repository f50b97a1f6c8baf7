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

// verb is what a client asked for.
type verb string

const (
	prompted verb = "prompt"
	stopped  verb = "stop"
	looked   verb = "get"
	cleared  verb = "stop session" // all that the session runs
)

// act is one request of a client, with what it was told. One that had no answer
// may have happened, or happen still.
type act struct {
	verb    verb
	node    int // that was asked
	life    int // which of its processes
	turn    bellcord.TurnID
	session bellcord.SessionID
	text    string // of a prompt
	why     string // of a stop: its own, so that the record tells which stop it has
	drops   bool   // of a stop: also what waits behind the turn

	called, returned time.Duration
	answered         bool
	status           int
	problem          string // of a refusal: its type
	seen             *api.Turn
	stop             *api.Stopped
}

// book is what all clients were told.
type book struct {
	s *stage

	mu     sync.Mutex
	acts   []act
	rooms  map[bellcord.SessionID]*room
	shown  int // events, to all viewers
	recent []bellcord.TurnID
}

func newBook(s *stage) *book {
	return &book{s: s, rooms: map[bellcord.SessionID]*room{}}
}

// mostRecent is how many turns are remembered for whoever wants to stop or see
// one.
const mostRecent = 60

// note adds an act that is over, or given up.
func (b *book) note(a act) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.acts = append(b.acts, a)
}

// meet remembers a turn's id, also before it is prompted.
func (b *book) meet(id bellcord.TurnID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.recent = append(b.recent, id)
	if len(b.recent) > mostRecent {
		b.recent = b.recent[1:]
	}
}

// anyTurn is one of the recent ones; pick chooses among so many.
func (b *book) anyTurn(pick func(n int) int) (bellcord.TurnID, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.recent) == 0 {
		return "", false
	}
	return b.recent[pick(len(b.recent))], true
}

// room is a session with what was seen of it.
type room struct {
	id bellcord.SessionID

	mu      sync.Mutex
	sent    int                      // prompts
	unended map[bellcord.TurnID]bool // prompts whose end nobody has seen
	retired bool                     // it is sent no more prompts
	shown   []string                 // events as the first viewer was shown them, from number 1 on
}

func (b *book) open(id bellcord.SessionID) *room {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := &room{id: id, unended: map[bellcord.TurnID]bool{}}
	b.rooms[id] = r
	return r
}

func (r *room) sends(id bellcord.TurnID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unended[id] = true
	r.sent++
}

func (r *room) backlog() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.unended)
}

func (r *room) ended(id bellcord.TurnID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unended, id)
}

func (r *room) retire() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retired = true
}

// quiet reports whether there is nothing more to see.
func (r *room) quiet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.retired && len(r.unended) == 0
}

// show compares an event with what others were shown under its number.
func (r *room) show(seq int, data string) (before string, same bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if seq <= len(r.shown) {
		return r.shown[seq-1], r.shown[seq-1] == data
	}
	r.shown = append(r.shown, data) // a viewer has no gaps, so this is its place
	return data, true
}

// write writes all acts down, for people.
func (b *book) write(path string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var text strings.Builder
	for _, a := range b.acts {
		said := ""
		if a.stop != nil {
			said = fmt.Sprintf("%s recorded %v", a.stop.State, a.stop.Recorded)
		} else if a.seen != nil {
			said = string(a.seen.State)
		}
		fmt.Fprintf(&text, "%v-%v %s-%d %s turn %s session %s: %d %s %s why %s\n", a.called, a.returned, b.s.nodes[a.node].name, a.life, a.verb, a.turn, a.session, a.status, a.problem, said, a.why)
	}
	return os.WriteFile(path, []byte(text.String()), 0o600)
}
