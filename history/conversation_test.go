package history_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
)

// counted is a record that counts the events that were read.
type counted struct {
	record
	read *int
}

func (c counted) Events(ctx context.Context, session bellcord.SessionID, after int64, limit int) ([]bellcord.Event, error) {
	events, err := c.record.Events(ctx, session, after, limit)
	*c.read += len(events)
	return events, err
}

func TestConversation_ReadAfterEachEvent_ReadsNewEventsOnly(t *testing.T) {
	t.Parallel()
	entries := []any{prompted("count"), begun, step}
	for range 500 {
		entries = append(entries, textDelta("x"))
	}
	events := of(entries...)
	var c history.Conversation
	read := 0
	for k := range events {
		if _, err := c.Read(t.Context(), counted{record{events: events[:k+1]}, &read}, "s"); err != nil {
			t.Fatal(err)
		}
	}
	if read > 2*len(events) {
		t.Errorf("%d events were read for a log of %d", read, len(events))
	}
}

func TestConversation_SessionCreatedAnew_ReadsTheNewOne(t *testing.T) {
	t.Parallel()
	opened := bellcord.AgentSessionOpened{Agent: "goose", AgentSession: "old"}
	old := of(opened, prompted("old"), begun, step, textDelta("secret"), ended(bellcord.EndDone))
	for name, events := range map[string][]bellcord.Event{
		"shorter": of("new", prompted("new"), begun),
		"longer":  of("new", prompted("new"), begun, step, textDelta("a"), ended(bellcord.EndDone), "two", prompted("two"), begun),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c history.Conversation
			if agent, err := c.AgentSession(t.Context(), record{events: old}, "s"); err != nil || agent != opened {
				t.Fatal(agent, err)
			}
			for i := range events {
				events[i].Time = time.Unix(int64(i), 0)
			}
			got, err := c.Read(t.Context(), record{events: events}, "s")
			if want := history.Repair(history.Recorded(events)); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v\n%swant\n%s", err, inWords(got), inWords(want))
			}
			if agent, err := c.AgentSession(t.Context(), record{events: events}, "s"); err != nil || agent != (bellcord.AgentSessionOpened{}) {
				t.Error(agent, err)
			}
		})
	}
}
