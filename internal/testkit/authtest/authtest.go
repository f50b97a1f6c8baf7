// Package authtest is the test suite for implementations of
// serverstore.TokenStore, and the key of a page as a browser has it.
package authtest

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// Harness creates the stores for the suite.
type Harness struct {
	// Place creates a new, empty location for a store and removes it after the
	// test.
	Place func(t *testing.T) string
	// Open opens a store at a location, as another process would, and closes it
	// after the test.
	Open func(t *testing.T, place string) serverstore.TokenStore
}

var suite = map[string]func(*testing.T, Harness){
	"a token comes back as it was put":                    aTokenComesBackAsItWasPut,
	"a token is never replaced":                           aTokenIsNeverReplaced,
	"a token that was revoked stays so since then":        aTokenThatWasRevokedStaysSoSinceThen,
	"the latest use of a token counts":                    theLatestUseOfATokenCounts,
	"browsers tokens that expired are cleared away":       browsersTokensThatExpiredAreClearedAway,
	"no token slips through the revocation of its parent": noTokenSlipsThroughTheRevocationOfItsParent,
}

// Run runs the suite, each test at a separate location.
func Run(t *testing.T, h Harness) {
	for name, prove := range suite {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prove(t, h)
		})
	}
}

func aToken(id string) serverstore.Token {
	return serverstore.Token{
		ID: id, Owner: "anna", Name: "laptop", Scopes: []bellcord.Scope{bellcord.ScopeRead, bellcord.ScopeStop}, Hash: []byte{0, 1, 2, 255},
		Created: time.Unix(0, 1_000_000_001),
	}
}

func put(t *testing.T, s serverstore.TokenStore, tokens ...serverstore.Token) {
	t.Helper()
	for _, v := range tokens {
		if err := s.PutToken(t.Context(), v); err != nil {
			t.Fatalf("%s: %v", v.ID, err)
		}
	}
}

func aTokenComesBackAsItWasPut(t *testing.T, h Harness) {
	t.Helper()
	dir := h.Place(t)
	s := h.Open(t, dir)
	plain, full := aToken("a"), aToken("b")
	full.Expires, full.Used, full.Revoked = time.Unix(0, 5e18), time.Unix(0, 3), time.Unix(0, 4)
	full.Cookie, full.Parent = true, "a"
	put(t, s, plain, full)
	other := h.Open(t, dir) // another process sees the same
	for _, want := range []serverstore.Token{plain, full} {
		if got, err := other.Token(t.Context(), want.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	if all, err := other.Tokens(t.Context()); err != nil || !reflect.DeepEqual(all, []serverstore.Token{plain, full}) {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := s.Token(t.Context(), "c"); !errors.Is(err, serverstore.ErrNoToken) {
		t.Errorf("one that is not there: %v", err)
	}
}

func aTokenIsNeverReplaced(t *testing.T, h Harness) {
	t.Helper()
	s := h.Open(t, h.Place(t))
	put(t, s, aToken("a"))
	thief := aToken("a")
	thief.Owner = "ben"
	if err := s.PutToken(t.Context(), thief); err == nil {
		t.Error("it was put")
	}
	if got, err := s.Token(t.Context(), "a"); err != nil || got.Owner != "anna" {
		t.Errorf("%+v, %v", got, err)
	}
}

func aTokenThatWasRevokedStaysSoSinceThen(t *testing.T, h Harness) {
	t.Helper()
	dir := h.Place(t)
	s, other := h.Open(t, dir), h.Open(t, dir)
	child, grown := aToken("b"), aToken("c")
	child.Parent, grown.Parent = "a", "a"
	put(t, s, aToken("a"), child, aToken("d"))
	for _, at := range []int64{7, 9} {
		if err := s.RevokeToken(t.Context(), "a", time.Unix(0, at)); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]time.Time{"a": time.Unix(0, 7), "b": time.Unix(0, 7), "d": {}} {
		if got, err := other.Token(t.Context(), id); err != nil || !got.Revoked.Equal(want) {
			t.Errorf("%s was revoked at %v, error %v; want %v", id, got.Revoked, err, want)
		}
	}
	if err := s.PutToken(t.Context(), grown); !errors.Is(err, serverstore.ErrNoToken) {
		t.Errorf("a child of one that was revoked: %v", err)
	}
	for _, id := range []string{"x", ""} {
		if err := s.RevokeToken(t.Context(), id, time.Now()); !errors.Is(err, serverstore.ErrNoToken) {
			t.Errorf("revoking %q: %v", id, err)
		}
	}
}

func theLatestUseOfATokenCounts(t *testing.T, h Harness) {
	t.Helper()
	s := h.Open(t, h.Place(t))
	put(t, s, aToken("a"))
	for _, at := range []int64{5, 9, 7} {
		if err := s.TouchToken(t.Context(), "a", time.Unix(0, at)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Token(t.Context(), "a"); err != nil || got.Used.UnixNano() != 9 {
		t.Errorf("used at %v, error %v", got.Used, err)
	}
	if err := s.TouchToken(t.Context(), "x", time.Now()); !errors.Is(err, serverstore.ErrNoToken) {
		t.Errorf("one that is not there: %v", err)
	}
}

func browsersTokensThatExpiredAreClearedAway(t *testing.T, h Harness) {
	t.Helper()
	s := h.Open(t, h.Place(t))
	old, fresh, lasting := aToken("old"), aToken("fresh"), aToken("lasting")
	old.Cookie, old.Expires = true, old.Created.Add(time.Second)
	fresh.Cookie, fresh.Expires = true, fresh.Created.Add(time.Hour)
	lasting.Expires = lasting.Created.Add(time.Second) // not a browser's: it stays listed as expired
	put(t, s, old, fresh, lasting)
	later := aToken("later")
	later.Created = later.Created.Add(time.Minute)
	put(t, s, later)
	for id, kept := range map[string]bool{"old": false, "fresh": true, "lasting": true, "later": true} {
		if _, err := s.Token(t.Context(), id); (err == nil) != kept {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A token that is created while another node revokes its parent is refused or
// revoked with it.
func noTokenSlipsThroughTheRevocationOfItsParent(t *testing.T, h Harness) {
	t.Helper()
	home := h.Place(t)
	s, other := h.Open(t, home), h.Open(t, home)
	for i := range 100 {
		parent, child := aToken(fmt.Sprint("parent", i)), aToken(fmt.Sprint("child", i))
		child.Parent = parent.ID
		put(t, s, parent)
		var all sync.WaitGroup
		var refused error
		all.Go(func() { refused = s.PutToken(t.Context(), child) })
		all.Go(func() {
			if err := other.RevokeToken(t.Context(), parent.ID, time.Unix(0, 5)); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		got, err := s.Token(t.Context(), child.ID)
		if !errors.Is(refused, serverstore.ErrNoToken) && (err != nil || got.Revoked.IsZero()) {
			t.Fatalf("put: %v; the child is %+v, %v", refused, got, err)
		}
	}
}
