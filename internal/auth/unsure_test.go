package auth_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/serverstore"
)

var errDown = errors.New("the database is down")

// downStore is a token store that can be made to fail or hang.
type downStore struct {
	serverstore.TokenStore
	down, hangs bool
}

func (s *downStore) Token(ctx context.Context, id string) (serverstore.Token, error) {
	switch {
	case s.hangs:
		<-ctx.Done()
		return serverstore.Token{}, ctx.Err()
	case s.down:
		return serverstore.Token{}, errDown
	}
	return s.TokenStore.Token(ctx, id)
}

// A database outage must not prevent a stop.
func TestLaw05_StoreDown_RecentCallerMayStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{})
		store := &downStore{TokenStore: e.store}
		e.Door = auth.NewDoor(store, auth.Options{})
		text, made := e.mint(nil)
		unseen, _ := e.mint(nil)
		admin, _ := e.mint(func(t *serverstore.Token) { t.Scopes = []bellcord.Scope{bellcord.ScopeAdmin} })
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
			if !c.May(bellcord.ScopeStop) || c.May(bellcord.ScopeRead) || c.May(bellcord.ScopePrompt) || c.May(bellcord.ScopeAdmin) {
				t.Errorf("it may do other things than to stop: %+v", c)
			}
			if c, err := e.bearer(admin, home); err != nil || c.Reach() != "" || !c.May(bellcord.ScopeStop) || c.May(bellcord.ScopeAdmin) {
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
