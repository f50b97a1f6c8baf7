package cluster_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// aside gives a node another prefix, so that it and the other nodes do not
// receive each other's messages. The test sends its events.
func aside(with *setup) { with.Prefix = "aside" }

// runDisconnected runs a turn at a node that is not connected to the others, while
// another node has a viewer. It returns the viewer and the stored events.
func runDisconnected(a, b *node) (*hub.Cursor, []bellcord.Event) {
	a.t.Helper()
	session := b.session()
	cursor, err := a.Events(inTime(a.t), session, 0)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(cursor.Close)
	b.record(b.prompt(session, "stream 5"))
	return cursor, b.events(session)
}

// Events that are missing in frames are read from the store. The cases are the
// smallest examples of what can happen to messages, and to the events in one.
// After each frame, the viewer has received everything up to the newest event
// in it.
func TestViewer_LostDuplicatedOrReorderedFrames_AreRepairedFromTheStore(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join(aside)
	b.release()
	for name, frames := range map[string][][]int64{
		"nothing":                 {{1, 2, 3}, {4}, {5, 6}},
		"a frame is lost":         {{1, 2, 3}, {6, 7}, {8}},
		"a frame comes twice":     {{1, 2, 3, 4}, {1, 2, 3, 4}, {5}},
		"half of it comes twice":  {{1, 2, 3, 4}, {3, 4, 5, 6}},
		"frames change places":    {{1, 2}, {5, 6}, {3, 4}, {7}},
		"a frame comes late":      {{8}, {1, 2, 3}, {9}, {1}, {10}},
		"the last comes alone":    {{10}},
		"an event is left out":    {{1, 2, 4, 5}, {7, 9}},
		"an event is twice in it": {{1, 2, 2, 3}, {3, 3, 4}},
		"events change places":    {{2, 1, 3}, {6, 5, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			cursor, stored := runDisconnected(a, b)
			var seen []bellcord.Event
			for _, frame := range frames {
				var events []bellcord.Event
				for _, seq := range frame {
					events = append(events, stored[seq-1])
				}
				a.ApplyRemoteEvents(events)
				for newest := slices.Max(frame); cursor.After() < newest; {
					more, err := cursor.Next(inTime(t))
					if err != nil {
						t.Fatalf("after %d: %v", cursor.After(), err)
					}
					seen = append(seen, more...)
				}
			}
			inOrder(t, seen, stored[:len(seen)])
		})
	}
}

func TestViewer_RandomFrames_ReceivesAllEventsOnceInOrder(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a, b := s.join(), s.join(aside)
	b.release()
	voice := s.voice()
	for seed := range uint64(30) {
		chance := rand.New(rand.NewPCG(seed, 1))
		cursor, stored := runDisconnected(a, b)
		var frames [][]bellcord.Event
		for rest := stored; len(rest) > 0; {
			n := 1 + chance.IntN(min(4, len(rest)))
			if chance.IntN(4) > 0 {
				frames = append(frames, rest[:n])
			}
			if chance.IntN(4) == 0 {
				frames = append(frames, rest[:n])
			}
			rest = rest[n:]
		}
		chance.Shuffle(len(frames), func(i, j int) { frames[i], frames[j] = frames[j], frames[i] })
		for _, events := range append(frames, stored[len(stored)-1:]) { // the end comes last
			voice.show(a.id, events...)
		}
		inOrder(t, read(t, cursor, stored[len(stored)-1].Turn), stored)
	}
}
