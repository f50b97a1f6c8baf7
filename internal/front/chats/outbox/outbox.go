// Package outbox sends a bot's calls as fast as a platform's rate limits allow. A
// bot has one outbox. Each chat has its own pace and all chats share another.
// After a rate limit error, nothing is sent to the chat until the wait is over.
//
// A call that only shows progress, such as a draft or an edit, is replaced by a
// newer one that shows the same thing. A call that must arrive is never
// replaced; such calls keep their order and are retried until they succeed or
// the platform rejects them.
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Call is one request to the platform for a chat.
type Call struct {
	Chat  string
	Group bool // a group chat, which has another pace
	// Slot names what the call shows. The call replaces a waiting one with
	// the same slot. It is empty for a call that must arrive.
	Slot string
	Do   func(ctx context.Context) error
}

// TooMany is a rate limit error.
type TooMany struct{ RetryAfter time.Duration }

// Error implements error.
func (e *TooMany) Error() string { return "too many requests, retry after " + e.RetryAfter.String() }

// ErrNever is wrapped by errors that a retry does not change.
var ErrNever = errors.New("the platform rejected the call")

// Pace contains the minimum intervals between calls, and the time for retries of
// calls outside of chats.
type Pace struct {
	All     time.Duration // between any two calls of the bot
	Private time.Duration // between calls for a private chat
	Group   time.Duration // between calls for a group
	Aside   time.Duration // how long a call of Aside is retried
}

// slowest limits how far a chat's pace is stretched after rate limit errors,
// and the pause after failures.
const slowest = 30 * time.Second

// Outbox sends the calls of a bot. It is safe for concurrent use. Only Close
// blocks.
type Outbox struct {
	pace   Pace
	logger *slog.Logger
	ctx    context.Context
	end    context.CancelFunc
	still  sync.WaitGroup

	mu      sync.Mutex
	chats   map[string]*chat
	next    time.Time // when the bot may make its next call
	held    time.Time // until when the whole bot must wait
	working bool      // the goroutine that schedules calls is running
	shut    bool
	signal  chan struct{} // signals a new call or the result of one

	refused   string // the chat that was last rate limited, and when
	refusedAt time.Time
}

// chat contains the waiting calls of one chat. It is removed when nothing waits
// and its pace no longer matters.
type chat struct {
	sure     []Call // must arrive, in order
	shown    []Call // the newest call of each slot, ordered by the first use of the slot
	ready    time.Time
	served   time.Time     // when its last call was made
	stretch  time.Duration // added to its pace after a rate limit error
	busy     bool          // a call is in progress
	failures int           // in a row
}

// New returns an empty outbox. Close must be called to end it.
func New(pace Pace, logger *slog.Logger) *Outbox {
	ctx, end := context.WithCancel(context.Background())
	return &Outbox{pace: pace, logger: logger, ctx: ctx, end: end, chats: map[string]*chat{}, signal: make(chan struct{}, 1)}
}

// Put adds a call and does not block. After Close the call is discarded.
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
	case o.signal <- struct{}{}:
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

// Drop drops the waiting call of a slot: what it shows is outdated.
func (o *Outbox) Drop(id string, slot string) {
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

// Close drops calls that only show progress and sends those that must arrive.
// If ctx ends first, it cancels the rest and returns ctx.Err().
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
