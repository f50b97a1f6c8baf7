package auth_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/auth"
)

var errDown = errors.New("the database is down")

// downStore is a store of tokens that fails, or hangs, when it is told to.
type downStore struct {
	auth.Store
	down, hangs bool
}

func (s *downStore) Token(ctx context.Context, id string) (auth.Token, error) {
	switch {
	case s.hangs:
		<-ctx.Done()
		return auth.Token{}, ctx.Err()
	case s.down:
		return auth.Token{}, errDown
	}
	return s.Store.Token(ctx, id)
}

// A database that is down must not keep anybody from stopping what runs.
func TestLaw05_WhoWasGoodLatelyMayStopWhileTheStoreDoesNotAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{})
		store := &downStore{Store: e.store}
		e.Door = auth.NewDoor(store, auth.Options{})
		text, made := e.mint(nil)
		unseen, _ := e.mint(nil)
		admin, _ := e.mint(func(t *auth.Token) { t.Scopes = []auth.Scope{auth.Admin} })
		for _, one := range []string{text, admin} {
			if c, err := e.bearer(one, home); err != nil || c.Unsure != nil {
				t.Fatalf("%+v, %v", c, err)
			}
		}
		for _, store.hangs = range []bool{false, true} {
			store.down = true
			began := time.Now()
			c, err := e.bearer(text, home)
			if err != nil || c.Owner != "anna" || c.Reach() != "anna" || c.Unsure == nil || time.Since(began) > time.Second {
				t.Errorf("after %v: %+v, %v", time.Since(began), c, err)
			}
			if !c.May(auth.Stop) || c.May(auth.Read) || c.May(auth.Prompt) || c.May(auth.Admin) {
				t.Errorf("it may do other things than to stop: %+v", c)
			}
			if c, err := e.bearer(admin, home); err != nil || c.Reach() != "" || !c.May(auth.Stop) || c.May(auth.Admin) {
				t.Errorf("an admin: %+v, %v", c, err)
			}
		}
		store.hangs = false
		if _, err := e.bearer(unseen, home); !errors.Is(err, errDown) {
			t.Errorf("one that was never seen: %v", err)
		}
		pass(time.Hour)
		if _, err := e.bearer(text, home); !errors.Is(err, errDown) {
			t.Errorf("an hour later: %v", err)
		}
		store.down = false
		if err := e.store.RevokeToken(t.Context(), made.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.bearer(text, home); !isBad(err) {
			t.Errorf("one that was revoked: %v", err)
		}
	})
}
