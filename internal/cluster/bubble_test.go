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
	"github.com/bellcord/bellcord/store/sqlite"
)

// bubble is a stage in which time is not real: a NATS server without a network,
// and nodes that share a data directory.
type bubble struct {
	t    *testing.T
	nats *server.Server
	data string
	home map[bellcord.SessionID]string // where the directory is to say something else
}

// bubbleKey signs the messages there.
var bubbleKey = []byte("a key of 32 bytes for the bubble")

// inABubble runs a test on such a stage.
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

// pass lets time pass and everybody do what was due.
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

// named is a store that knows what it calls its node, and where sessions are at
// home.
type named struct {
	*sqlite.Store
	stage *bubble
	id    string
}

func (s *named) NodeID() string { return s.id }

func (s *named) Home(ctx context.Context, session bellcord.SessionID) (string, error) {
	if home, said := s.stage.home[session]; said {
		return home, nil
	}
	waits, err := s.UnendedTurns(ctx, session)
	if err != nil || len(waits) == 0 {
		return "", err
	}
	return waits[len(waits)-1].Node, nil
}

// nameOf finds out what a store calls its node: by a turn of it.
func nameOf(t *testing.T, store *sqlite.Store) string {
	t.Helper()
	session, turn := bellcord.NewSessionID(), bellcord.NewTurnID()
	results, err := store.Commit(t.Context(), []bellcord.Op{
		bellcord.PutSession{Session: bellcord.Session{ID: session, Dir: "/"}},
		bellcord.AcceptTurn{Session: session, Turn: turn, At: time.Now()},
	})
	if err != nil || results[1].Err != nil {
		t.Fatal(err, results)
	}
	record, err := store.Turn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(t.Context(), []bellcord.Op{bellcord.DeleteSession{ID: session}}); err != nil {
		t.Fatal(err)
	}
	return record.Node
}

// voice is somebody on the bus.
func (s *bubble) voice() *voice {
	s.t.Helper()
	return newVoice(s.t, "", newSigner(s.t, bubbleKey, "voice", time.Now), nats.InProcessServer(s.nats))
}
