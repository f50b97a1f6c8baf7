package auth_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/auth"
)

func TestEnter_FloodOfBadTokens_AcceptsValidToken(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{})
	text, _ := e.mint(nil)
	if _, err := e.bearer(text, home); err != nil {
		t.Fatal(err)
	}
	var limited atomic.Int64
	var flood sync.WaitGroup
	for range 10 {
		flood.Go(func() {
			for range 1000 {
				err := second(e.bearer("bc_ffffffffffff_"+strings.Repeat("0", 64), home))
				if isTooMany(err) {
					limited.Add(1)
				} else if !isBad(err) {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		if _, err := e.bearer(text, home); err != nil {
			t.Errorf("a good token during the flood: %v", err)
		}
	}
	flood.Wait()
	if _, err := e.bearer(text, home); err != nil {
		t.Errorf("a good token after the flood: %v", err)
	}
	if n := limited.Load(); n < 9900 {
		t.Errorf("only %d of 10000 were limited", n)
	}
}

func TestEnter_BadCredentials_AreLimitedAndRefilled(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"127.0.0.1", "::1", "192.0.2.7", ""} {
		synctest.Test(t, func(t *testing.T) {
			e := newEntrance(t, auth.Options{})
			unseen, _ := e.mint(nil)
			for i := range 20 {
				if err := second(e.bearer("x", client)); !isBad(err) {
					t.Fatalf("try %d from %q: %v", i, client, err)
				}
			}
			var many *auth.TooManyError
			if err := second(e.bearer("x", client)); !errors.As(err, &many) || many.RetryAfter != time.Second {
				t.Fatalf("the 21st from %q: %v", client, err)
			}
			if err := second(e.bearer(unseen, client)); err != nil {
				t.Errorf("a good token that was never seen: %v", err)
			}
			pass(many.RetryAfter)
			if err := second(e.bearer("x", client)); !isBad(err) {
				t.Errorf("a good one took a try: %v", err)
			}
			if err := second(e.bearer("x", client)); !isTooMany(err) {
				t.Errorf("more than one came back in a second: %v", err)
			}
		})
	}
}

func TestEnter_NoCredentials_CountAgainstTheLimit(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Tries: 4, Refill: time.Hour})
	for _, target := range []string{"/", "/?token=x", "/", "/?api_key=x"} {
		if _, err := e.Enter(request(target), home); err == nil || isTooMany(err) {
			t.Fatalf("%s: %v", target, err)
		}
	}
	if _, err := e.Enter(request("/"), home); !isTooMany(err) {
		t.Errorf("the fifth: %v", err)
	}
}

// A valid token is never refused because of bad ones: not an hour after its
// last use, not on its first use, and not right after a start of the server.
func TestDoor_BadTokensFromSameAddress_NeverLimitValidToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, auth.Options{Refill: 24 * time.Hour})
		text, made := e.mint(nil)
		unseen, _ := e.mint(nil)
		e.exhaust(home)
		if _, err := e.bearer(text, home); err != nil {
			t.Errorf("one that was never seen: %v", err)
		}
		pass(2 * time.Hour)
		if _, err := e.bearer(text, home); err != nil {
			t.Errorf("an hour after its last use: %v", err)
		}
		e.Door = auth.NewDoor(e.store, auth.Options{Refill: 24 * time.Hour})
		e.exhaust(home)
		for range 10 {
			if _, err := e.bearer(unseen, home); err != nil {
				t.Errorf("after a start: %v", err)
			}
		}
		if err := e.store.RevokeToken(t.Context(), made.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := e.bearer(text, home); !isTooMany(err) {
			t.Errorf("a revoked one is not counted as bad: %v", err)
		}
		if _, err := e.bearer(text, "192.0.2.1"); !isBad(err) {
			t.Errorf("a revoked one from elsewhere: %v", err)
		}
	})
}

func TestEnter_IPv6AddressesOfOneNetwork_ShareALimit(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Refill: time.Hour})
	for i := range 20 {
		if err := second(e.bearer("x", fmt.Sprintf("2001:db8:0:1::%x", i))); !isBad(err) {
			t.Fatal(err)
		}
	}
	for client, limited := range map[string]bool{
		"2001:db8:0:1:ffff::1": true, "[2001:db8:0:1::5]:4711": true, "2001:db8:0:1::7%eth0": true,
		"2001:db8:0:2::1": false, "127.0.0.1": false,
	} {
		if err := second(e.bearer("x", client)); isTooMany(err) != limited {
			t.Errorf("%s: %v", client, err)
		}
	}
	e.exhaust("192.0.2.1")
	if err := second(e.bearer("x", "::ffff:192.0.2.1")); !isTooMany(err) {
		t.Errorf("an IPv4 address written as IPv6: %v", err)
	}
}

func TestDoor_ConcurrentBadTokens_StayWithinTheLimit(t *testing.T) {
	t.Parallel()
	e := newEntrance(t, auth.Options{Refill: time.Hour})
	var answered atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			if isBad(second(e.bearer("bc_ffffffffffff_x", home))) {
				answered.Add(1)
			}
		})
	}
	all.Wait()
	if n := answered.Load(); n != 20 {
		t.Errorf("%d were answered", n)
	}
}

func TestAllow_TokensOfOneOwner_ShareALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := auth.NewDoor(nil, auth.Options{Rate: auth.DefaultRate})
		anna, ben := auth.Caller{Owner: "anna", Token: "1"}, auth.Caller{Owner: "ben"}
		for i := range auth.DefaultBurst {
			if err := d.Allow(anna); err != nil {
				t.Fatalf("request %d: %v", i, err)
			}
		}
		anna.Token = "2"
		if err := d.Allow(anna); !isTooMany(err) {
			t.Errorf("after the burst: %v", err)
		}
		if err := d.Allow(ben); err != nil {
			t.Errorf("somebody else: %v", err)
		}
		pass(time.Second)
		for i := range auth.DefaultRate {
			if err := d.Allow(anna); err != nil {
				t.Fatalf("request %d a second later: %v", i, err)
			}
		}
		if err := d.Allow(anna); !isTooMany(err) {
			t.Errorf("more than the rate: %v", err)
		}
		free := auth.NewDoor(nil, auth.Options{})
		for range 10 * auth.DefaultBurst {
			if err := free.Allow(anna); err != nil {
				t.Fatalf("without a limit: %v", err)
			}
		}
	})
}
