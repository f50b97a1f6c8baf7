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

// storeDown is a hub that cannot determine the state of another node's turn.
type storeDown struct{}

func (storeDown) Await(context.Context, bellcord.TurnID) error {
	return errors.New("the store is down")
}
func (storeDown) Stop(bellcord.StopRequest) *hub.Stopping { return nil }

func TestWatched_ServerClosedWhileStoreIsDown_StopsRetrying(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(*testing.T) { // returns when its goroutines have ended
		closed := make(chan struct{})
		w := watched{hub: storeDown{}, closed: closed, patience: time.Second, sessions: map[bellcord.SessionID]*watchers{}}
		w.arrive("session")
		w.bind("session", "turn")
		synctest.Wait()
		close(closed)
	})
}
