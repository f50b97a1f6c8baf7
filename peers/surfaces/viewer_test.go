package surfaces_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/client"
)

// viewer is a program that reads the session's events over HTTP.
type viewer struct {
	t *testing.T

	mu       sync.Mutex
	texts    map[bellcord.TurnID]string
	prompted map[string]bellcord.TurnID
	ended    map[bellcord.TurnID]bellcord.Receipt
}

func openViewer(s *stage, server *client.Client, session bellcord.SessionID) *viewer {
	v := &viewer{t: s.t, texts: map[bellcord.TurnID]string{}, prompted: map[string]bellcord.TurnID{}, ended: map[bellcord.TurnID]bellcord.Receipt{}}
	stream := server.Events(session, 0)
	ctx, leave := context.WithCancel(context.Background())
	read := make(chan struct{})
	s.t.Cleanup(func() { leave(); <-read })
	go func() {
		defer close(read)
		defer stream.Close()
		for {
			events, err := stream.Next(ctx)
			if err != nil && !errors.Is(err, context.Canceled) {
				s.t.Error(err)
			}
			if err != nil {
				return
			}
			v.take(events)
		}
	}()
	return v
}

func (v *viewer) take(events []bellcord.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, ev := range events {
		switch b := ev.Body.(type) {
		case bellcord.TurnAccepted:
			v.prompted[b.Text] = ev.Turn
		case bellcord.TextDelta:
			v.texts[ev.Turn] += b.Text
		case bellcord.TurnEnded:
			v.ended[ev.Turn] = b.Receipt
		}
	}
}

// turn waits for the turn of the given prompt.
func (v *viewer) turn(text string) turn {
	v.t.Helper()
	t := turn{text: text}
	comesTrue(v.t, func() string { return "a turn for " + text }, func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		t.id = v.prompted[text]
		return t.id != ""
	})
	return t
}

func (v *viewer) receipt(id bellcord.TurnID) bellcord.Receipt {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ended[id]
}

func (v *viewer) name() string { return "the stream" }

func (v *viewer) streams(t turn) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Contains(v.texts[t.id], "word3")
}

func (v *viewer) ending(t turn) string {
	r := v.receipt(t.id)
	if r.End != bellcord.EndStopped || r.Turn != t.id {
		return ""
	}
	return "stopped by " + r.Cause.By + " from " + r.Cause.Source
}
