// Package outbox sends what a bot has to say as fast as Telegram takes it and no
// faster. A bot has one. Each chat has its own pace, all of them share one, and
// when Telegram says to wait, nothing is sent until that time is over.
//
// Of what only shows how far something is, a draft or an edit, the newest word
// counts: what waits is replaced. What has to arrive is never replaced or
// dropped, keeps its order, and is tried again until it has.
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Call is one request to Telegram for a chat.
type Call struct {
	Chat  int64
	Group bool // a chat of several people: Telegram wants it slower
	// Slot names what the call shows: one that waits with the same name is
	// replaced by it. A call that has to arrive has none.
	Slot string
	Do   func(ctx context.Context) error
}

// TooMany is Telegram's word that it wants no call for a while.
type TooMany struct{ RetryAfter time.Duration }

func (e *TooMany) Error() string { return "too many requests, retry after " + e.RetryAfter.String() }

// ErrNever wraps a failure that trying again does not change.
var ErrNever = errors.New("telegram rejected the call")

// Pace is how far apart calls are at the least.
type Pace struct {
	All     time.Duration // of the bot, whatever the chat
	Private time.Duration // to one person
	Group   time.Duration // to a group
}

// Usual is what Telegram takes, with a margin: 30 a second in all, one a second
// for a chat, 20 a minute for a group.
var Usual = Pace{All: 40 * time.Millisecond, Private: 1200 * time.Millisecond, Group: 3500 * time.Millisecond}

// slowest bounds how far a chat's pace is stretched after refusals.
const slowest = 30 * time.Second

// Outbox is a bot's. It is safe for use by many at once; none of its users waits.
type Outbox struct {
	pace   Pace
	logger *slog.Logger
	ctx    context.Context
	end    context.CancelFunc
	still  sync.WaitGroup

	mu      sync.Mutex
	chats   map[int64]*chat
	next    time.Time // when the bot may make its next call
	held    time.Time // until when Telegram wants none at all
	working bool      // there is somebody who hands out the turns
	shut    bool
	news    chan struct{} // something came, or a call was answered

	refused   int64 // the chat that was last told to wait, and when
	refusedAt time.Time
}

// chat is what waits for one chat. It is there as long as something does, or its
// pace still matters.
type chat struct {
	sure     []Call // has to arrive, in order
	shown    []Call // the newest of each slot, in the order they first came
	ready    time.Time
	served   time.Time     // when it last had its turn
	stretch  time.Duration // added to its pace after a refusal
	busy     bool          // a call is under way
	failures int           // in a row
}

// New returns an empty one; Close ends it.
func New(pace Pace, logger *slog.Logger) *Outbox {
	ctx, end := context.WithCancel(context.Background())
	return &Outbox{pace: pace, logger: logger, ctx: ctx, end: end, chats: map[int64]*chat{}, news: make(chan struct{}, 1)}
}

// Put hands a call over. It waits for nothing.
func (o *Outbox) Put(c Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shut {
		return
	}
	to := o.chats[c.Chat]
	if to == nil {
		to = &chat{}
		o.chats[c.Chat] = to
	}
	to.addCall(c)
	if o.working {
		o.wake()
		return
	}
	o.working = true
	o.still.Go(o.work)
}

// wake wakes the goroutine that schedules the calls.
func (o *Outbox) wake() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

func (to *chat) addCall(c Call) {
	if c.Slot == "" {
		to.sure = append(to.sure, c)
		return
	}
	for i, other := range to.shown {
		if other.Slot == c.Slot {
			to.shown[i] = c
			return
		}
	}
	to.shown = append(to.shown, c)
}

// Forget drops what waits to be shown in a slot: it is no longer so.
func (o *Outbox) Forget(id int64, slot string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if to := o.chats[id]; to != nil {
		to.drop(slot)
	}
}

func (to *chat) drop(slot string) {
	for i, c := range to.shown {
		if c.Slot == slot {
			to.shown = append(to.shown[:i:i], to.shown[i+1:]...)
			return
		}
	}
}

// Close sends what has to arrive, as far as ctx allows, and ends.
func (o *Outbox) Close(ctx context.Context) error {
	o.mu.Lock()
	o.shut = true
	for _, to := range o.chats {
		to.shown = nil
	}
	o.wake()
	o.mu.Unlock()
	empty := make(chan struct{})
	go func() { o.still.Wait(); close(empty) }()
	select {
	case <-empty:
		o.end()
		return nil
	case <-ctx.Done():
		o.end()
		<-empty
		return ctx.Err()
	}
}
