package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

var pace = outbox.Pace{All: 50 * time.Millisecond, Private: time.Second, Group: 4 * time.Second, Aside: 12 * time.Second}

// wire records the time of each call and returns the configured result.
type wire struct {
	mu     sync.Mutex
	began  time.Time
	calls  []string
	answer func(word string, n int) error // n: how often the word has been sent before
	seen   map[string]int
}

func (w *wire) call(chat int64, group bool, slot, word string) outbox.Call {
	return outbox.Call{Chat: fmt.Sprint(chat), Group: group, Slot: slot, Do: func(context.Context) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls = append(w.calls, fmt.Sprintf("%v %s", time.Since(w.began), word))
		w.seen[word]++
		if w.answer == nil {
			return nil
		}
		return w.answer(word, w.seen[word]-1)
	}}
}

func inABubble(t *testing.T, play func(t *testing.T, o *outbox.Outbox, w *wire)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := outbox.New(pace, slog.New(slog.DiscardHandler))
		w := &wire{began: time.Now(), seen: map[string]int{}}
		play(t, o, w)
		if err := o.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func (w *wire) made(t *testing.T, want ...string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.calls, want) {
		t.Errorf("the calls were\n%q\nnot\n%q", w.calls, want)
	}
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestOutbox_CallsToSeveralChats_KeepBothPaces(t *testing.T) {
	t.Parallel()
	inABubble(t, func(t *testing.T, o *outbox.Outbox, w *wire) {
		for _, word := range []string{"a", "b"} {
			o.Put(w.call(1, false, "", "anna "+word))
			synctest.Wait()
			o.Put(w.call(-1, true, "", "group "+word))
			synctest.Wait()
		}
		pass(10 * time.Second)
		w.made(t, "0s anna a", "50ms group a", "1s anna b", "4.05s group b")
	})
}

func TestPut_SameSlot_ReplacesTheWaitingCall(t *testing.T) {
	t.Parallel()
	inABubble(t, func(t *testing.T, o *outbox.Outbox, w *wire) {
		for n := range 30 {
			o.Put(w.call(1, false, "draft", fmt.Sprint("draft ", n)))
			pass(100 * time.Millisecond)
		}
		pass(time.Second)
		w.made(t, "0s draft 0", "1s draft 9", "2s draft 19", "3s draft 29")
	})
}

func TestPut_CallsThatMustArrive_AreSentFirstAndInOrder(t *testing.T) {
	t.Parallel()
	inABubble(t, func(t *testing.T, o *outbox.Outbox, w *wire) {
		o.Put(w.call(1, false, "draft", "draft"))
		synctest.Wait()
		o.Put(w.call(1, false, "draft", "draft again"))
		o.Put(w.call(1, false, "", "one"))
		o.Put(w.call(1, false, "", "two"))
		o.Drop("1", "draft")
		pass(10 * time.Second)
		w.made(t, "0s draft", "1s one", "2s two")
	})
}

func TestOutbox_RateLimited_WaitsAndDeliversTheFinalCall(t *testing.T) {
	t.Parallel()
	inABubble(t, func(t *testing.T, o *outbox.Outbox, w *wire) {
		w.answer = func(word string, n int) error {
			if word == "final" && n < 2 || word == "draft" {
				return &outbox.TooMany{RetryAfter: 60 * time.Second}
			}
			return nil
		}
		o.Put(w.call(1, false, "draft", "draft"))
		synctest.Wait()
		o.Put(w.call(1, false, "draft", "another"))
		o.Put(w.call(1, false, "", "final"))
		o.Put(w.call(2, false, "", "somebody else"))
		pass(10 * time.Minute)
		w.made(t, "0s draft", "50ms somebody else", "1m0s final", "2m0s final", "3m0s final", "3m2s another")
	})
}

func TestOutbox_TwoChatsRateLimited_HoldsTheWholeBot(t *testing.T) {
	t.Parallel()
	inABubble(t, func(t *testing.T, o *outbox.Outbox, w *wire) {
		w.answer = func(word string, n int) error {
			if word != "carl" && n == 0 {
				return &outbox.TooMany{RetryAfter: 30 * time.Second}
			}
			return nil
		}
		o.Put(w.call(1, false, "", "anna"))
		synctest.Wait()
		o.Put(w.call(2, false, "", "bert"))
		pass(time.Second)
		o.Put(w.call(3, false, "", "carl"))
		pass(5 * time.Minute)
		if w.mu.Lock(); len(w.calls) != 5 || w.calls[0] != "0s anna" || w.calls[1] != "50ms bert" {
			t.Errorf("the calls were %q", w.calls)
		}
		for _, call := range w.calls[2:] {
			if call < "30" {
				t.Errorf("%s came during the wait", call)
			}
		}
		w.mu.Unlock()
	})
}

func TestOutbox_FailedCall_IsRetriedUnlessRejected(t *testing.T) {
	t.Parallel()
	inABubble(t, func(t *testing.T, o *outbox.Outbox, w *wire) {
		w.answer = func(word string, n int) error {
			switch {
			case word == "refused":
				return fmt.Errorf("%w: chat not found", outbox.ErrNever)
			case word == "final" && n < 3, word == "draft":
				return errors.New("the connection broke")
			}
			return nil
		}
		o.Put(w.call(1, false, "", "refused"))
		o.Put(w.call(1, false, "", "final"))
		o.Put(w.call(1, false, "draft", "draft"))
		pass(time.Minute)
		w.made(t, "0s refused", "1s final", "2s final", "4s final", "8s final", "9s draft")
	})
}

func TestClose_ShortDeadline_SendsWhatMustArriveInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{began: time.Now(), seen: map[string]int{}}
		o := outbox.New(pace, slog.New(slog.DiscardHandler))
		for n := range 3 {
			o.Put(w.call(1, false, "", fmt.Sprint("final ", n)))
		}
		o.Put(w.call(1, false, "draft", "draft"))
		short, done := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer done()
		if err := o.Close(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ended with %v", err)
		}
		o.Put(w.call(1, false, "", "late"))
		pass(time.Minute)
		w.made(t, "0s final 0", "1s final 1")
	})
}

func TestOutbox_ManyDrafts_CallThatMustArriveOvertakesThem(t *testing.T) {
	t.Parallel()
	inABubble(t, func(t *testing.T, o *outbox.Outbox, w *wire) {
		for chat := range int64(100) {
			o.Put(w.call(chat+1, false, "draft", "draft"))
		}
		synctest.Wait()
		o.Put(w.call(1000, false, "", "final"))
		pass(time.Minute)
		if w.mu.Lock(); w.calls[1] != "50ms final" {
			t.Errorf("the calls begin with %q", w.calls[:3])
		}
		w.mu.Unlock()
	})
}

func TestOutbox_HundredChats_ServesEachInTurn(t *testing.T) {
	t.Parallel()
	inABubble(t, func(t *testing.T, o *outbox.Outbox, w *wire) {
		for range 3 {
			for chat := range int64(100) {
				o.Put(w.call(chat+1, false, "draft", fmt.Sprint("draft ", chat)))
			}
			pass(5 * time.Second)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		for chat := range 100 {
			if n := w.seen[fmt.Sprint("draft ", chat)]; n < 2 {
				t.Errorf("chat %d had its turn %d times", chat, n)
			}
		}
	})
}

func TestAside_RateLimits_WaitsOnlyForTheWholeBot(t *testing.T) {
	t.Parallel()
	inABubble(t, func(t *testing.T, o *outbox.Outbox, w *wire) {
		w.answer = func(word string, n int) error {
			if (word == "anna" || word == "bert") && n == 0 {
				return &outbox.TooMany{RetryAfter: 5 * time.Second}
			}
			return nil
		}
		o.Put(w.call(1, false, "", "anna"))
		synctest.Wait()
		o.Aside(w.call(0, false, "", "at once").Do)
		synctest.Wait()
		o.Put(w.call(2, false, "", "bert"))
		pass(time.Second)
		o.Aside(w.call(0, false, "", "later").Do)
		pass(time.Minute)
		if w.mu.Lock(); w.calls[1] != "0s at once" || !slices.Contains(w.calls, "5.05s later") {
			t.Errorf("the calls were %q", w.calls)
		}
		w.mu.Unlock()
	})
}
