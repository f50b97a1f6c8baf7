package history

import (
	"context"
	"slices"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Conversation is a session's conversation, kept in memory between turns. It
// reads each event once, so that the cost of a turn does not grow with the
// session. Its results are the same as those of a new Conversation. The zero
// value is empty. Methods may be called concurrently.
type Conversation struct {
	mu    sync.Mutex
	last  bellcord.Event // the last event that was read
	talk  historian
	agent bellcord.AgentSessionOpened

	rewound rewinds // what the messages of talk leave out
	now     rewinds // what they have to leave out, by the events so far
}

// Read returns the conversation up to the session's last event, see Read.
func (c *Conversation) Read(ctx context.Context, store store.Reader, session bellcord.SessionID) ([]bellcord.Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.advance(ctx, store, session)
	return Repair(c.talk.recorded()), err
}

// AgentSession returns the hosted agent's session as last recorded, or the zero
// value if none was recorded in this conversation.
func (c *Conversation) AgentSession(ctx context.Context, store store.Reader, session bellcord.SessionID) (bellcord.AgentSessionOpened, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.advance(ctx, store, session)
	return c.agent, err
}

// Size returns about how many bytes the messages in memory have.
func (c *Conversation) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	var n int
	for _, m := range c.talk.messages {
		n += messageBytes + len(m.Text)
		for _, i := range m.Images {
			n += len(i.Data)
		}
		for _, t := range m.Thinking {
			n += len(t.Text)
		}
		for _, call := range m.Calls {
			n += len(call.Arguments)
		}
	}
	return int64(n)
}

// messageBytes is about the size of a message without its texts.
const messageBytes = 256

// Forget releases the memory. The next read reads all events again.
func (c *Conversation) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.talk, c.agent, c.rewound, c.now = bellcord.Event{}, historian{}, bellcord.AgentSessionOpened{}, nil, nil
}

// advance reads the events since the last call. It reads the last event again:
// if the store has another one in its place, another process has deleted the
// session and created it again, and all events are read.
func (c *Conversation) advance(ctx context.Context, kept store.Reader, session bellcord.SessionID) error {
	if c.last.Seq > 0 {
		same := false
		err := store.EachEvent(ctx, kept, session, c.last.Seq-1, func(ev bellcord.Event) bool {
			if !same && !isSame(ev, c.last) {
				return false
			}
			if same {
				c.read(ev)
			}
			same = true
			return true
		})
		if err != nil || same && slices.Equal(c.now, c.rewound) {
			return err
		}
	}
	return c.readAll(ctx, kept, session)
}

// readAll reads all events, and again if a rewind was found that leaves out events
// before it.
func (c *Conversation) readAll(ctx context.Context, kept store.Reader, session bellcord.SessionID) error {
	for {
		c.last, c.talk, c.agent, c.now = bellcord.Event{}, historian{}, bellcord.AgentSessionOpened{}, nil
		err := store.EachEvent(ctx, kept, session, 0, func(ev bellcord.Event) bool {
			c.read(ev)
			return true
		})
		if err != nil || slices.Equal(c.now, c.rewound) {
			return err
		}
		c.rewound = slices.Clone(c.now)
	}
}

// isSame reports whether two events are the same entry of one log. Turn ids are
// unique, and so is the time of an event without a turn.
func isSame(a, b bellcord.Event) bool {
	return a.Seq == b.Seq && a.Turn == b.Turn && a.Time.Equal(b.Time)
}

func (c *Conversation) read(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.AgentSessionOpened:
		c.agent = b
	case bellcord.ConversationCleared, bellcord.ConversationRewound:
		c.agent = bellcord.AgentSessionOpened{} // a new conversation needs a new agent session
	}
	c.now.add(ev)
	if !c.rewound.skips(ev) {
		c.talk.read(ev)
	}
	ev.Body = nil // it may be large
	c.last = ev
}

// recorded returns all messages, including those of the open step. The step
// stays open, and the caller owns the result.
func (h *historian) recorded() []bellcord.Message {
	now := historian{messages: slices.Clone(h.messages), step: h.step.copy(), calls: h.calls}
	now.closeStep(nil)
	return now.messages
}

func (s *step) copy() step {
	c := step{seq: s.seq, model: s.model, thinking: slices.Clone(s.thinking)}
	c.text.WriteString(s.text.String())
	c.unsigned.WriteString(s.unsigned.String())
	return c
}
