package cluster

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// requests are those of this node that wait for a reply. They have one inbox, and
// a reply counts only when it is signed for the request: one that is forged does
// not end the wait for the true one.
type requests struct {
	inbox string // with a dot at its end

	mu    sync.Mutex
	last  uint64
	waits map[string]*request // by the end of their reply subject
}

type request struct {
	subject   string // to which the reply goes
	data      []byte
	signature string
	reply     chan []byte   // of one: the payload
	unheard   chan struct{} // of one: NATS says that nobody listens
}

// A node that has just come is not known to all servers for a moment.
const (
	tryAgain  = 10 * time.Millisecond
	mostTries = 5
)

func (b *Bus) listenForReplies() error {
	b.requests.inbox, b.requests.waits = b.control.NewInbox()+".", map[string]*request{}
	_, err := b.control.Subscribe(b.requests.inbox+"*", b.replied)
	return err
}

// request sends a payload to a subject and returns the payload of the reply. Every
// try sends the same bytes, so that the receiver carries it out at most once. That
// nobody listens is the word of NATS, and not signed.
func (b *Bus) request(ctx context.Context, subject string, payload []byte) ([]byte, error) {
	r := b.requests.addRequest(b.controlSender.sign(subject, payload))
	defer b.requests.endRequest(r)
	for try := 1; ; try++ {
		if err := b.control.PublishRequest(subject, r.subject, r.data); err != nil {
			return nil, err
		}
		select {
		case reply := <-r.reply:
			return reply, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.unheard:
		}
		if try == mostTries {
			return nil, nats.ErrNoResponders
		}
		select {
		case reply := <-r.reply:
			return reply, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(tryAgain):
		}
	}
}

func (q *requests) addRequest(data []byte) *request {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	name := strconv.FormatUint(q.last, 36)
	r := &request{
		subject: q.inbox + name, data: data, signature: signatureOf(data),
		reply: make(chan []byte, 1), unheard: make(chan struct{}, 1),
	}
	q.waits[name] = r
	return r
}

func (q *requests) endRequest(r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.waits, strings.TrimPrefix(r.subject, q.inbox))
}

// replied takes what arrives in the inbox.
func (b *Bus) replied(m *nats.Msg) {
	b.requests.mu.Lock()
	r := b.requests.waits[strings.TrimPrefix(m.Subject, b.requests.inbox)]
	b.requests.mu.Unlock()
	switch {
	case r == nil: // nobody waits any more
	case len(m.Data) == 0 && m.Header.Get("Status") == "503":
		select {
		case r.unheard <- struct{}{}:
		default:
		}
	default:
		payload, err := b.guard.acceptReply(r.signature, m.Data)
		if err != nil {
			return
		}
		select {
		case r.reply <- payload:
		default:
		}
	}
}
