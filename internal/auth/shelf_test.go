package auth

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimiter_FloodOfClients_IsBoundedInMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(time.Second, 20)
		for l.takeToken("first") == 0 { //nolint:revive // until it is empty
		}
		for i := range 3 * mostBuckets {
			l.takeToken(fmt.Sprint(i))
		}
		if n, m := len(l.full.byKey), len(l.full.order); n != mostBuckets || m != n {
			t.Errorf("%d buckets, %d in order", n, m)
		}
		if l.takeToken("first") == 0 {
			t.Error("the emptiest bucket was forgotten before fuller ones")
		}
		<-time.After(time.Minute)
		l.takeToken("one more")
		if n := len(l.full.byKey); n != 1 {
			t.Errorf("%d buckets that are full are kept", n)
		}
	})
}

func TestShelf_Full_DropsTheEntryThatExpiresFirst(t *testing.T) {
	t.Parallel()
	s := newShelf[int, string](3)
	end := time.Now().Add(time.Hour)
	for _, i := range []int{3, 1, 2} {
		s.put(i, "a", end.Add(time.Duration(i)))
	}
	s.put(1, "b", end.Add(9)) // now 2 expires first
	s.put(4, "a", end.Add(4))
	if _, ok := s.removeKey(2); ok {
		t.Error("2 is still there")
	}
	if v, ok := s.removeKey(1); !ok || v != "b" {
		t.Errorf("1 is %q, %v", v, ok)
	}
	if _, ok := s.removeKey(1); ok {
		t.Error("1 was taken twice")
	}
	if s.putNew(3, "c", end) || !s.putNew(1, "c", end) {
		t.Error("add tells who was first wrongly")
	}
}

func TestCode_ManyCodes_AreBoundedInMemory(t *testing.T) {
	t.Parallel()
	d := NewDoor(nil, Options{})
	for range 3 * mostCodes {
		d.Code(Caller{})
	}
	if n := len(d.codes.byKey); n != mostCodes {
		t.Errorf("%d codes", n)
	}
}
