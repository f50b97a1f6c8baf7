package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// shown is one message as a viewer received it.
type shown struct{ id, data string }

// ledger contains all messages that one viewer received over all its connections, in the order of
// arrival and uncorrected.
type ledger struct {
	name string
	same func(shown, record string) bool // whether an event equals the recorded one

	mu      sync.Mutex
	entries []shown
	newest  int64
	grown   chan struct{} // closed and replaced when an entry is added
}

func newLedger(name string) *ledger {
	return &ledger{name: name, same: func(shown, record string) bool { return shown == record }, grown: make(chan struct{})}
}

// sameJSON compares decoded values and not bytes, because a page has decoded its events.
func sameJSON(shown, record string) bool {
	var a, b any
	if json.Unmarshal([]byte(shown), &a) != nil || json.Unmarshal([]byte(record), &b) != nil {
		return false
	}
	return reflect.DeepEqual(a, b)
}

func (l *ledger) addShown(one shown) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, one)
	if n, err := strconv.ParseInt(one.id, 10, 64); err == nil {
		l.newest = max(l.newest, n)
	}
	close(l.grown)
	l.grown = make(chan struct{})
}

// last returns the id of the newest entry, or "" if the ledger is empty.
func (l *ledger) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.entries) == 0 {
		return ""
	}
	return l.entries[len(l.entries)-1].id
}

// reach waits until the event has been received or ctx ends.
func (l *ledger) reach(ctx context.Context, seq int64) error {
	for {
		l.mu.Lock()
		newest, grown := l.newest, l.grown
		l.mu.Unlock()
		if newest >= seq {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return fmt.Errorf("%s was shown up to %d of %d: %w", l.name, newest, seq, ctx.Err())
		}
	}
}

// verdict counts the received events and the differences from the record.
type verdict struct{ seen, missing, twice, disordered, changed int }

func (v verdict) merge(w verdict) verdict {
	return verdict{v.seen + w.seen, v.missing + w.missing, v.twice + w.twice, v.disordered + w.disordered, v.changed + w.changed}
}

func (v verdict) good() bool { return v.missing+v.twice+v.disordered+v.changed == 0 }

// compare compares the ledger with the record. The first event of the record has number 1. An entry
// with a number that is not in the record counts as changed.
func (l *ledger) compare(record []string) verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := verdict{seen: len(l.entries)}
	before := make([]bool, len(record))
	last := 0
	for _, one := range l.entries {
		n, err := strconv.Atoi(one.id)
		switch {
		case err != nil || n < 1 || n > len(record):
			v.changed++
			continue
		case before[n-1]:
			v.twice++
		case n < last:
			v.disordered++
		case !l.same(one.data, record[n-1]):
			v.changed++
		}
		before[n-1], last = true, n
	}
	for _, was := range before {
		if !was {
			v.missing++
		}
	}
	return v
}

// answerText returns the answer as the viewer received it.
func (l *ledger) answerText() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]string, len(l.entries))
	for i, one := range l.entries {
		all[i] = one.data
	}
	return answerText(all)
}

// answerText returns the model's text in these events.
func answerText(events []string) (string, error) {
	var text strings.Builder
	for _, data := range events {
		var event struct {
			Kind string
			Body struct{ Text string }
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return "", fmt.Errorf("event %q: %w", data, err)
		}
		if event.Kind == "text_delta" {
			text.WriteString(event.Body.Text)
		}
	}
	return text.String(), nil
}
