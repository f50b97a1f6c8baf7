//go:build linux

package chaos_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// follow is a viewer of a session: it watches at one node after the other,
// continuing after the last event it received, until no more events are
// expected.
func (s *stage) follow(ctx context.Context, r *sessionLog) {
	last := 0
	for ctx.Err() == nil && !r.quiet() {
		at := s.nodes[rand.IntN(len(s.nodes))]
		some, done := context.WithTimeout(ctx, 500*time.Millisecond+rand.N(6*time.Second))
		last = s.watchAt(some, at, r, last)
		done()
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(100 * time.Millisecond)):
		}
	}
}

// watchAt watches at one node and returns the number of the last event.
func (s *stage) watchAt(ctx context.Context, at *node, r *sessionLog, last int) int {
	url, life := at.address()
	if url == "" {
		return last
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/sessions/"+string(r.id)+"/events", nil)
	if err != nil {
		s.t.Error(err)
		return last
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Last-Event-ID", strconv.Itoa(last))
	res, err := client.Do(req)
	if err != nil {
		return last
	}
	defer res.Body.Close()
	switch res.StatusCode / 100 {
	case 2:
		return s.read(res.Body, at, life, r, last)
	case 4: // the node does not have events that were already shown
		words, _ := io.ReadAll(res.Body)
		s.accuse("a lost event", "%s-%d refuses a viewer behind event %d of %s: %s", at.name, life, last, r.id, words)
	}
	return last
}

// read reads a stream to its end. Its events must be in order, without gaps or
// repetitions, and equal to those that other viewers received. A stream may end
// with a problem, for example while the database is down: a problem is not an
// event of the log and has no number.
func (s *stage) read(stream io.Reader, at *node, life int, r *sessionLog, last int) int {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 4<<20)
	id, data := "", ""
	for lines.Scan() {
		line := lines.Text()
		if line == "event: problem" {
			return last
		}
		if text, is := strings.CutPrefix(line, "id: "); is {
			id = text
		} else if text, is := strings.CutPrefix(line, "data: "); is {
			data = text
		}
		if line != "" || data == "" { // only an empty line completes an event; it may have been cut off
			continue
		}
		if id != strconv.Itoa(last+1) {
			s.accuse("a gap or a repetition", "%s-%d shows event %s of %s behind %d", at.name, life, id, r.id, last)
			return last
		}
		last++
		if before, same := r.show(last, data); !same {
			s.accuse("an event is shown in two ways", "%s-%d shows event %d of %s as\n%s\nbefore it was\n%s", at.name, life, last, r.id, data, before)
		}
		s.book.addShown(r, data)
		data = ""
	}
	return last
}

// addShown counts an event that was shown.
func (b *book) addShown(r *sessionLog, data string) {
	b.mu.Lock()
	b.shown++
	b.mu.Unlock()
	if !strings.Contains(data, `"kind":"turn_ended"`) {
		return
	}
	var ev struct {
		Kind string
		Turn bellcord.TurnID
	}
	if json.Unmarshal([]byte(data), &ev) == nil && ev.Kind == "turn_ended" {
		r.ended(ev.Turn)
	}
}
