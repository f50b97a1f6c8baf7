package cluster_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// bubble is a stage with a fake clock: an in-process NATS server, and nodes
// that share a data directory.
type bubble struct {
	t    *testing.T
	nats *server.Server
	data string
	home map[bellcord.SessionID]string // overrides the home nodes in the directory
}

// bubbleKey signs the messages in a bubble.
var bubbleKey = []byte("a key of 32 bytes for the bubble")

// inABubble runs a test in a bubble.
func inABubble(t *testing.T, do func(*testing.T, *bubble)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := server.NewServer(&server.Options{DontListen: true, NoLog: true, NoSigs: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		do(t, &bubble{t: t, nats: s, data: t.TempDir(), home: map[bellcord.SessionID]string{}})
	})
}

// pass lets time pass and waits until all goroutines are blocked.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (s *bubble) join(changes ...func(*setup)) *node {
	s.t.Helper()
	store, err := sqlite.Open(s.t.Context(), s.data)
	if err != nil {
		s.t.Fatal(err)
	}
	with := setup{Config: cluster.Config{SigningKey: bubbleKey, Options: []nats.Option{nats.InProcessServer(s.nats)}}, hub: hub.Options{Sweep: never}}
	for _, change := range changes {
		change(&with)
	}
	n := start(s.t, &named{Store: store, stage: s, id: nameOf(s.t, store)}, with)
	synctest.Wait()
	return n
}

// named is a store with the id of its node and the home nodes of sessions.
type named struct {
	*sqlite.Store
	stage *bubble
	id    string
}

func (s *named) NodeID() string { return s.id }

func (s *named) Home(ctx context.Context, session bellcord.SessionID) (string, error) {
	if home, ok := s.stage.home[session]; ok {
		return home, nil
	}
	waits, err := s.UnendedTurns(ctx, session)
	if err != nil || len(waits) == 0 {
		return "", err
	}
	return waits[len(waits)-1].Node, nil
}

// nameOf returns the id that a store uses for its node, from the record of a
// temporary turn.
func nameOf(t *testing.T, kept *sqlite.Store) string {
	t.Helper()
	session, turn := bellcord.NewSessionID(), bellcord.NewTurnID()
	results, err := kept.Commit(t.Context(), []store.Op{
		store.PutSession{Session: bellcord.Session{ID: session, Dir: "/"}},
		store.AcceptTurn{Session: session, Turn: turn, At: time.Now()},
	})
	if err != nil || results[1].Err != nil {
		t.Fatal(err, results)
	}
	record, err := kept.Turn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Commit(t.Context(), []store.Op{store.DeleteSession{ID: session}}); err != nil {
		t.Fatal(err)
	}
	return record.Node
}

// voice returns a client of the bus that has the nodes' key.
func (s *bubble) voice() *voice {
	s.t.Helper()
	return newVoice(s.t, "", newSigner(s.t, bubbleKey, "voice", time.Now), nats.InProcessServer(s.nats))
}
