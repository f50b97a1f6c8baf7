package cluster

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// requests contains this node's requests that wait for a reply. They share one
// inbox. A reply is only accepted if it is signed for its request: a forged
// reply does not end the wait for the real one.
type requests struct {
	inbox string // ends with a dot

	mu    sync.Mutex
	last  uint64
	waits map[string]*request // by the last part of their reply subject
}

type request struct {
	subject      string // subject of the reply
	data         []byte
	signature    string
	reply        chan []byte   // the payload; buffer of 1
	noSubscriber chan struct{} // NATS reports no subscriber; buffer of 1
}

// NATS servers may not have the subscriptions of a new node yet: a request is
// sent again.
const (
	tryAgain  = 10 * time.Millisecond
	mostTries = 5
)

func (b *Bus) listenForReplies() error {
	b.requests.inbox, b.requests.waits = b.control.NewInbox()+".", map[string]*request{}
	_, err := b.control.Subscribe(b.requests.inbox+"*", b.replied)
	return err
}

// request sends a payload to a subject and returns the payload of the reply.
// Every attempt sends the same bytes, so that the receiver handles the request
// at most once. The status "no responders" comes from NATS and is not signed.
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
		case <-r.noSubscriber:
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
		reply: make(chan []byte, 1), noSubscriber: make(chan struct{}, 1),
	}
	q.waits[name] = r
	return r
}

func (q *requests) endRequest(r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.waits, strings.TrimPrefix(r.subject, q.inbox))
}

// replied handles a message in the inbox.
func (b *Bus) replied(m *nats.Msg) {
	b.requests.mu.Lock()
	r := b.requests.waits[strings.TrimPrefix(m.Subject, b.requests.inbox)]
	b.requests.mu.Unlock()
	switch {
	case r == nil: // the request has ended
	case len(m.Data) == 0 && m.Header.Get("Status") == "503":
		select {
		case r.noSubscriber <- struct{}{}:
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
