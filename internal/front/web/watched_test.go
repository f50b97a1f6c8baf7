package web

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// storeDown is a hub that does not know how a turn of another node stands.
type storeDown struct{}

func (storeDown) Await(context.Context, bellcord.TurnID) error {
	return errors.New("the store is down")
}
func (storeDown) Stop(bellcord.StopRequest) *hub.Stopping { return nil }

func TestWatched_ServerClosedWhileTheStoreIsDown_StopsAsking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(*testing.T) { // which ends when its goroutines have
		closed := make(chan struct{})
		w := watched{hub: storeDown{}, closed: closed, patience: time.Second, sessions: map[bellcord.SessionID]*watchers{}}
		w.arrive("session")
		w.bind("session", "turn")
		synctest.Wait()
		close(closed)
	})
}
