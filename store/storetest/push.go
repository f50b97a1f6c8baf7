package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/bellcord/bellcord/internal/serverstore"
)

var pushChecks = []check{
	{"a push subscription comes back as it was put, to its owner, until it is deleted", subscriptionKept},
	{"a push subscription replaces the one with its id, also of another owner", subscriptionReplaced},
	{"an owner has a limited number of push subscriptions, and keeps the newest", subscriptionsLimited},
	{"all processes get the push key that was stored first", pushKeyShared},
}

// pushing returns a store of push subscriptions, or skips the check.
func pushing(b *bench) serverstore.PushStore {
	store, is := b.node().Node.(serverstore.PushStore)
	if !is {
		b.Skip("the store is not a PushStore")
	}
	return store
}

func aSubscription(id, owner string) serverstore.PushSubscription {
	return serverstore.PushSubscription{
		ID: id, Owner: owner, Token: "t" + awkward, Endpoint: "https://push.example/" + id, PublicKey: []byte{4, 0, 255}, Auth: []byte{0, 1},
		Questions: true, Created: time.Unix(0, now().UnixNano()),
	}
}

func putSubscriptions(b *bench, store serverstore.PushStore, all ...serverstore.PushSubscription) {
	for _, v := range all {
		if err := store.PutPushSubscription(b.Context(), v); err != nil {
			b.Fatal(err)
		}
	}
}

func subscriptionKept(b *bench) {
	store, other := pushing(b), pushing(b)
	first, second, foreign := aSubscription("one", "anna"), aSubscription("two", "anna"), aSubscription("three", "bert")
	second.Created, second.Questions, second.Ends = first.Created.Add(time.Second), false, true
	putSubscriptions(b, store, first, second, foreign)
	for owner, want := range map[string][]serverstore.PushSubscription{"anna": {second, first}, "bert": {foreign}, "": nil} {
		if got, err := other.PushSubscriptions(b.Context(), owner); err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			b.Errorf("of %q: %+v, %v", owner, got, err)
		}
	}
	if err := other.DeletePushSubscription(b.Context(), "bert", "one"); !errors.Is(err, serverstore.ErrNoSubscription) {
		b.Errorf("bert deleted a subscription of anna: %v", err)
	}
	if err := other.DeletePushSubscription(b.Context(), "anna", "one"); err != nil {
		b.Error(err)
	}
	if err := store.DeletePushSubscription(b.Context(), "anna", "one"); !errors.Is(err, serverstore.ErrNoSubscription) {
		b.Error(err)
	}
	if got, err := store.PushSubscriptions(b.Context(), "anna"); err != nil || len(got) != 1 || got[0].ID != "two" {
		b.Errorf("%+v, %v", got, err)
	}
}

func subscriptionReplaced(b *bench) {
	store := pushing(b)
	was, is := aSubscription("one", "anna"), aSubscription("one", "bert")
	is.Token, is.Auth, is.Questions, is.Ends = "other", []byte{9}, false, true
	putSubscriptions(b, store, was, is)
	if got, err := store.PushSubscriptions(b.Context(), "anna"); err != nil || len(got) != 0 {
		b.Errorf("anna has %+v, %v", got, err)
	}
	if got, err := store.PushSubscriptions(b.Context(), "bert"); err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], is) {
		b.Errorf("bert has %+v, %v", got, err)
	}
}

func subscriptionsLimited(b *bench) {
	store := pushing(b)
	putSubscriptions(b, store, aSubscription("of bert", "bert"))
	for i := range serverstore.MostPushSubscriptions + 3 {
		v := aSubscription(fmt.Sprint(i), "anna")
		v.Created = v.Created.Add(time.Duration(i) * time.Second)
		putSubscriptions(b, store, v)
	}
	got, err := store.PushSubscriptions(b.Context(), "anna")
	if err != nil || len(got) != serverstore.MostPushSubscriptions || got[0].ID != fmt.Sprint(serverstore.MostPushSubscriptions+2) || got[len(got)-1].ID != "3" {
		b.Errorf("%d subscriptions, %v", len(got), err)
	}
	if got, err := store.PushSubscriptions(b.Context(), "bert"); err != nil || len(got) != 1 {
		b.Errorf("bert has %+v, %v", got, err)
	}
}

func pushKeyShared(b *bench) {
	first, second := pushing(b), pushing(b)
	for i, store := range []serverstore.PushStore{first, second, first} {
		if got, err := store.PushKey(b.Context(), []byte{byte(i), 0}); err != nil || !bytes.Equal(got, []byte{0, 0}) {
			b.Errorf("%v, %v", got, err)
		}
	}
}
