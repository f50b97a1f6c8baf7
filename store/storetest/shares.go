package storetest

import (
	"errors"
	"reflect"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store"
)

var shareChecks = []check{
	{"a share comes back as it was put, to its owner, until it is deleted", shareKept},
	{"a share ends with its session, and none is added to a missing one", shareEndsWithSession},
	{"expired shares are cleared away by the next one", expiredSharesCleared},
}

// sharing returns a node that stores shares, or skips the check.
func sharing(b *bench) (*node, serverstore.ShareStore) {
	n := b.node()
	store, shares := n.Node.(serverstore.ShareStore)
	if !shares {
		b.Skip("the store is not a ShareStore")
	}
	return n, store
}

func aShare(id string, session bellcord.SessionID) serverstore.Share {
	at := time.Unix(0, now().UnixNano())
	return serverstore.Share{ID: id, Owner: "anna", Session: session, Title: awkward, Hash: []byte{0, 1, 255}, Created: at, Expires: at.Add(time.Hour), Content: []byte(`{"a":"\u0000"}`)}
}

func shareKept(b *bench) {
	n, store := sharing(b)
	first, second := aShare("one", n.session()), aShare("two", n.session())
	second.Owner, second.Created = "bert", first.Created.Add(time.Second)
	for _, v := range []serverstore.Share{first, second} {
		if err := store.PutShare(b.Context(), v); err != nil {
			b.Fatal(err)
		}
	}
	if err := store.PutShare(b.Context(), first); err == nil {
		b.Error("a share was replaced")
	}
	_, other := sharing(b)
	if got, err := other.Share(b.Context(), "one"); err != nil || !reflect.DeepEqual(got, first) {
		b.Errorf("%+v, %v", got, err)
	}
	first.Content, second.Content = nil, nil
	for owner, want := range map[string][]serverstore.Share{"": {second, first}, "anna": {first}, "nobody": nil} {
		if got, err := other.Shares(b.Context(), owner); err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			b.Errorf("of %q: %+v, %v", owner, got, err)
		}
	}
	if err := errors.Join(other.DeleteShare(b.Context(), "one")); err != nil {
		b.Fatal(err)
	}
	if _, err := store.Share(b.Context(), "one"); !errors.Is(err, serverstore.ErrNoShare) {
		b.Error(err)
	}
	if err := store.DeleteShare(b.Context(), "one"); !errors.Is(err, serverstore.ErrNoShare) {
		b.Error(err)
	}
}

func shareEndsWithSession(b *bench) {
	n, kept := sharing(b)
	session := n.session()
	if err := kept.PutShare(b.Context(), aShare("one", session)); err != nil {
		b.Fatal(err)
	}
	if err := kept.PutShare(b.Context(), aShare("kept", n.session())); err != nil {
		b.Fatal(err)
	}
	n.ok(store.DeleteSession{ID: session})
	if _, err := kept.Share(b.Context(), "one"); !errors.Is(err, serverstore.ErrNoShare) {
		b.Error(err)
	}
	if err := kept.PutShare(b.Context(), aShare("two", session)); !errors.Is(err, bellcord.ErrNoSession) {
		b.Error(err)
	}
	if all, err := kept.Shares(b.Context(), ""); err != nil || len(all) != 1 {
		b.Errorf("%+v, %v", all, err)
	}
}

func expiredSharesCleared(b *bench) {
	n, store := sharing(b)
	session := n.session()
	old, later := aShare("old", session), aShare("new", session)
	old.Expires, later.Created = old.Created.Add(time.Second), old.Created.Add(time.Minute)
	for _, v := range []serverstore.Share{old, later} {
		if err := store.PutShare(b.Context(), v); err != nil {
			b.Fatal(err)
		}
	}
	if all, err := store.Shares(b.Context(), "anna"); err != nil || len(all) != 1 || all[0].ID != "new" {
		b.Errorf("%+v, %v", all, err)
	}
}
