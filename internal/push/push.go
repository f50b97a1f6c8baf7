// Package push sends messages to browsers in which the page is closed: a turn
// waits for an answer, or has ended. They go to the push service of the
// browser's maker (RFC 8030), encrypted for the browser and signed by this
// server.
//
// Push never delays a commit, a stop or the end of a turn: Watch puts messages
// into a bounded queue and drops what does not fit. Without subscriptions, no
// request is sent.
package push

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store"
)

// The bounds of the work that waits or runs.
const (
	mostWaiting   = 1024
	mostDelivered = 256 // messages that are being sent
	mostOfOwner   = 4 * serverstore.MostPushSubscriptions
	storeTime     = 5 * time.Second // time limit for reading a message's subscriptions
)

// Config configures a Notifier.
type Config struct {
	Logger *slog.Logger
	// AllowPrivate also allows push services at loopback and private addresses.
	AllowPrivate bool
	RootCAs      *x509.CertPool // nil means those of the system
}

// Store is the part of a store that a Notifier uses.
type Store interface {
	serverstore.PushStore
	Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
	Token(ctx context.Context, id string) (serverstore.Token, error)
}

// Notifier sends the messages of one server. Its methods are safe for concurrent
// use.
type Notifier struct {
	Config
	store   Store
	queue   chan Message
	retries []time.Duration
	missed  atomic.Int64 // messages that did not fit
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	// mu protects the fields below. It is never held during I/O.
	mu   sync.Mutex
	key  *signer
	busy map[string]int // messages that are being sent, by owner
	all  int            // sum of busy
}

// New returns a Notifier that queues messages. Start sends them.
func New(c Config) *Notifier {
	n := &Notifier{Config: c, queue: make(chan Message, mostWaiting), retries: retryDelays, busy: map[string]int{}}
	n.life, n.end = context.WithCancel(context.Background())
	return n
}

// Start begins to send messages to the subscriptions in the store. It must be
// called before the methods that use subscriptions, and once.
func (n *Notifier) Start(store Store) {
	n.store = store
	n.running.Go(n.run)
}

// Close cancels all requests and returns when nothing runs any more. Messages
// that were not sent are dropped.
func (n *Notifier) Close() {
	n.mu.Lock()
	n.end()
	n.mu.Unlock()
	n.running.Wait()
}

// Watch queues the messages about a commit. It never blocks. It implements
// hub.Options.Watch.
func (n *Notifier) Watch(c store.Commit) {
	for _, ev := range c.Events {
		m := Message{Session: ev.Session, Turn: ev.Turn}
		switch b := ev.Body.(type) {
		case bellcord.QuestionOpened:
			m.Kind = kindQuestion
		case bellcord.TurnEnded:
			if b.Receipt.Times.Started.IsZero() {
				continue // a queued prompt that was dropped
			}
			m.Kind, m.End = kindEnd, b.Receipt.End
		default:
			continue
		}
		select {
		case n.queue <- m:
		default:
			n.missed.Add(1)
		}
	}
}

func (n *Notifier) run() {
	for {
		select {
		case <-n.life.Done():
			return
		case m := <-n.queue:
			if err := n.dispatch(m); err != nil && n.life.Err() == nil {
				n.Logger.Warn("a push message was not sent", "session", m.Session, "turn", m.Turn, "err", err)
			}
			if missed := n.missed.Swap(0); missed > 0 {
				n.Logger.Warn("too many push messages at once; some were dropped", "messages", missed)
			}
		}
	}
}

// dispatch starts the deliveries of a message to the owner's browsers.
func (n *Notifier) dispatch(m Message) error {
	ctx, done := context.WithTimeout(n.life, storeTime)
	defer done()
	session, err := n.store.Session(ctx, m.Session)
	if errors.Is(err, bellcord.ErrNoSession) || err == nil && session.Owner == "" {
		return nil // deleted since, or nobody's
	}
	if err != nil {
		return err
	}
	subscribed, err := n.store.PushSubscriptions(ctx, session.Owner)
	if err != nil {
		return err
	}
	m.Title = session.Title
	for _, to := range subscribed {
		if !m.wanted(to) {
			continue
		}
		valid, err := n.valid(ctx, to)
		if err != nil {
			return err
		}
		if valid && !n.begin(to, m) {
			n.missed.Add(1)
		}
	}
	return nil
}

// valid reports whether the login or the token that subscribed may still
// receive messages: it was not revoked, by a logout or an administrator, and has
// not expired. Otherwise it deletes the subscription. A login that was not used
// for hours is still valid here: the page is closed.
func (n *Notifier) valid(ctx context.Context, v serverstore.PushSubscription) (bool, error) {
	token, err := n.store.Token(ctx, v.Token)
	if err != nil && !errors.Is(err, serverstore.ErrNoToken) {
		return false, err
	}
	if err == nil && token.Revoked.IsZero() && (token.Expires.IsZero() || time.Now().Before(token.Expires)) {
		return true, nil
	}
	return false, n.remove(ctx, v)
}

// remove deletes a subscription that has ended.
func (n *Notifier) remove(ctx context.Context, v serverstore.PushSubscription) error {
	err := n.store.DeletePushSubscription(ctx, v.Owner, v.ID)
	if errors.Is(err, serverstore.ErrNoSubscription) {
		return nil
	}
	return err
}

// begin sends a message in the background. It returns false if too many are
// being sent, so that an unresponsive push service cannot use up memory.
func (n *Notifier) begin(to serverstore.PushSubscription, m Message) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.all >= mostDelivered || n.busy[to.Owner] >= mostOfOwner || n.life.Err() != nil {
		return false
	}
	n.all++
	n.busy[to.Owner]++
	n.running.Go(func() {
		defer n.finish(to.Owner)
		err := n.deliver(n.life, to, m)
		if errors.Is(err, errGone) {
			err = n.remove(n.life, to)
		}
		if err != nil && n.life.Err() == nil {
			n.Logger.Warn("a push message was not sent", "owner", to.Owner, "service", Service(to), "err", err)
		}
	})
	return true
}

func (n *Notifier) finish(owner string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all--
	if n.busy[owner]--; n.busy[owner] == 0 {
		delete(n.busy, owner)
	}
}
