package sessionsearch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// TextReader reads the prompts and answers of sessions. Every store.Store
// that is a serverstore.TextReader is one.
type TextReader interface {
	serverstore.TextReader
	// Tails returns the last sequence number of each session.
	Tails(ctx context.Context, sessions []bellcord.SessionID) ([]int64, error)
}

// Limits of the cache.
const (
	cachedBytes = 64 << 20         // of text
	cachedTime  = 10 * time.Minute // after the last search that used a session
)

// message is a prompt or an answer.
type message struct {
	turn  bellcord.TurnID
	where api.Where
	text  string
}

// text is the prompts and answers of a session up to an event. It is immutable,
// except for used.
type text struct {
	tail     int64
	messages []message
	bytes    int
	used     time.Time // by a search; protected by textCache.mu
}

// textCache keeps the texts of sessions between searches: reading and decoding
// the events is most of the cost of a search. A text is valid as long as the
// session has no later events; if it has, only these are read. When the cache is
// full, further sessions are read by every search, until others have not been
// searched for cachedTime.
type textCache struct {
	from TextReader
	most int // bytes

	mu    sync.Mutex // not held during I/O
	texts map[bellcord.SessionID]*text
	bytes int
}

func newTextCache(from TextReader, most int) *textCache {
	return &textCache{from: from, most: most, texts: map[bellcord.SessionID]*text{}}
}

// messages returns the prompts and answers of a session, whose last event is
// tail.
func (c *textCache) messages(ctx context.Context, id bellcord.SessionID, tail int64) ([]message, error) {
	known := c.get(id)
	if known != nil && known.tail == tail {
		return known.messages, nil
	}
	read, err := c.read(ctx, id, known, tail)
	if err != nil {
		if errors.Is(err, bellcord.ErrDamaged) {
			c.dropText(id)
		}
		return nil, err
	}
	c.keepText(id, read)
	return read.messages, nil
}

// read returns the text of a session up to tail or a later event. It reads only
// the events after known, if that is possible.
func (c *textCache) read(ctx context.Context, id bellcord.SessionID, known *text, tail int64) (*text, error) {
	if known != nil && known.tail < tail && tail-known.tail < mostEvents {
		events, err := c.from.TextEvents(ctx, id, int(tail-known.tail))
		if err != nil {
			return nil, err
		}
		// If there are events after tail, some between known.tail and tail may be
		// missing.
		if n := len(events); n == 0 || events[n-1].Seq <= tail {
			events = slices.DeleteFunc(events, func(ev bellcord.Event) bool { return ev.Seq <= known.tail })
			return newText(tail, known.messages, events), nil
		}
	}
	events, err := c.from.TextEvents(ctx, id, mostEvents)
	if n := len(events); n > 0 {
		tail = max(tail, events[n-1].Seq)
	}
	return newText(tail, nil, events), err
}

func (c *textCache) get(id bellcord.SessionID) *text {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.texts[id]
	if found != nil {
		found.used = time.Now()
	}
	return found
}

// keepText replaces the text of a session, if the cache has enough space.
func (c *textCache) keepText(id bellcord.SessionID, read *text) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeLocked(id)
	if c.bytes+read.bytes <= c.most {
		read.used = time.Now()
		c.texts[id], c.bytes = read, c.bytes+read.bytes
	}
}

// dropText removes the text of a session.
func (c *textCache) dropText(id bellcord.SessionID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeLocked(id)
}

// prune removes the texts that no search has used for cachedTime.
func (c *textCache) prune() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, old := range c.texts {
		if time.Since(old.used) > cachedTime {
			c.removeLocked(id)
		}
	}
}

func (c *textCache) removeLocked(id bellcord.SessionID) {
	if old := c.texts[id]; old != nil {
		c.bytes -= old.bytes
		delete(c.texts, id)
	}
}

// newText returns the messages before and those in events as one text. It joins
// the fragments of each turn's answer, so that a word can be in two of them. An
// answer has the position of its first fragment.
func newText(tail int64, before []message, events []bellcord.Event) *text {
	all := slices.Clone(before)
	answers, places := map[bellcord.TurnID]*strings.Builder{}, map[bellcord.TurnID]int{}
	for i, m := range all {
		if m.where == api.InAnswer {
			places[m.turn] = i
		}
	}
	for _, ev := range events {
		text, where := textOf(ev.Body)
		if text == "" {
			continue
		}
		if where == api.InPrompt {
			all = append(all, message{ev.Turn, where, text})
			continue
		}
		place, started := places[ev.Turn]
		if !started {
			place = len(all)
			places[ev.Turn] = place
			all = append(all, message{turn: ev.Turn, where: where})
		}
		if answers[ev.Turn] == nil {
			answers[ev.Turn] = &strings.Builder{}
			_, _ = answers[ev.Turn].WriteString(all[place].text)
		}
		_, _ = answers[ev.Turn].WriteString(text)
	}
	for turn, answer := range answers {
		all[places[turn]].text = answer.String()
	}
	t := &text{tail: tail, messages: all}
	for _, m := range all {
		t.bytes += len(m.text)
	}
	return t
}

// textOf returns the text of a prompt or of a fragment of an answer, "" for other
// events.
func textOf(body bellcord.Body) (string, api.Where) {
	switch body := body.(type) {
	case bellcord.TurnAccepted:
		return body.Text, api.InPrompt
	case bellcord.PromptEdited:
		return body.Text, api.InPrompt
	case bellcord.MessageImported:
		return body.Text, api.InPrompt
	case bellcord.TextDelta:
		return body.Text, api.InAnswer
	}
	return "", ""
}
