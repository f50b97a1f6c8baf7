package rights_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/chats/rights"
)

func TestPair_CodeOfStranger_GivesAccessUntilUnpaired(t *testing.T) {
	t.Parallel()
	l := open(t, rights.Config{File: place(t), Pairing: true})
	code, _, err := l.Invite(chats.Person{ID: anna, Name: "Anna", Username: "anna_x"})
	if err != nil {
		t.Fatal(err)
	}
	if w := l.Waiting(); len(w) != 1 || w[0].ID != anna || w[0].Name != "Anna" || w[0].Until.Sub(w[0].Requested) != time.Hour {
		t.Errorf("there wait %+v", w)
	}
	if _, ok := l.Person(anna); ok {
		t.Error("asking is enough")
	}
	p, err := l.Pair(code, "anna")
	if err != nil || p.ID != anna || p.Name != "anna" || p.Username != "anna_x" || time.Since(p.At) > time.Minute {
		t.Fatalf("%+v, %v", p, err)
	}
	if name, ok := l.Person(anna); !ok || name != "anna" {
		t.Errorf("%q, %v", name, ok)
	}
	if all := l.Paired(); len(all) != 1 || all[0].ID != anna || len(l.Waiting()) != 0 {
		t.Errorf("paired: %+v, waiting: %+v", all, l.Waiting())
	}
	if err := l.Unpair(anna); err != nil {
		t.Fatal(err)
	}
	if _, ok := l.Person(anna); ok || len(l.Paired()) > 0 {
		t.Error("she is still let in")
	}
	if err := l.Unpair(anna); !errors.Is(err, rights.ErrNotPaired) {
		t.Errorf("once more: %v", err)
	}
	if p, err := l.Pair(requestCode(t, l, anna), ""); err != nil || p.Name != "matrix:@anna:example.org" {
		t.Errorf("again: %+v, %v", p, err)
	}
}

func TestPair_UsedOrExpiredCode_Fails(t *testing.T) {
	t.Parallel()
	file := place(t)
	synctest.Test(t, func(t *testing.T) {
		l := open(t, rights.Config{File: file, Pairing: true})
		first, second, third := requestCode(t, l, anna), requestCode(t, l, ben), requestCode(t, l, cleo)
		if _, err := l.Pair(first, ""); err != nil {
			t.Error(err)
		}
		if _, err := l.Pair(first, "again"); !errors.Is(err, rights.ErrNoCode) {
			t.Errorf("a second time: %v", err)
		}
		<-time.After(time.Hour - time.Second)
		if _, err := l.Pair(second, ""); err != nil {
			t.Errorf("just in time: %v", err)
		}
		<-time.After(time.Second)
		if _, err := l.Pair(third, ""); !errors.Is(err, rights.ErrNoCode) {
			t.Errorf("too late: %v", err)
		}
		if _, ok := l.Person(cleo); ok {
			t.Error("it let somebody in")
		}
	})
}

func TestPair_CodeTypedDifferently_IsAccepted(t *testing.T) {
	t.Parallel()
	l := open(t, rights.Config{File: place(t), Pairing: true})
	for i, typed := range []func(string) string{
		strings.ToLower,
		func(c string) string { return strings.ReplaceAll(c, "-", "") },
		func(c string) string { return " " + strings.ReplaceAll(c, "-", " ") + "\n" },
		func(c string) string { return strings.ReplaceAll(c, "-", "–") },
	} {
		code := typed(requestCode(t, l, numbered(i)))
		if _, err := l.Pair(code, ""); err != nil {
			t.Errorf("%q: %v", code, err)
		}
	}
}

func TestPair_TenWrongCodes_CloseAllOpenCodes(t *testing.T) {
	t.Parallel()
	file := place(t)
	wrong := func(t *testing.T, times int) {
		t.Helper()
		for range times {
			// A new list each time, as in separate processes.
			if _, err := open(t, rights.Config{File: file, Pairing: true}).Pair("AAAA-AAAA", ""); !errors.Is(err, rights.ErrNoCode) {
				t.Fatal(err)
			}
		}
	}
	l := open(t, rights.Config{File: file, Pairing: true})
	wrong(t, 20) // without open codes, wrong ones are not counted
	first, second, third := requestCode(t, l, anna), requestCode(t, l, ben), requestCode(t, l, cleo)
	wrong(t, 9)
	if _, err := l.Pair(first, ""); err != nil {
		t.Fatalf("after nine: %v", err)
	}
	wrong(t, 9)
	if _, err := l.Pair("", ""); !errors.Is(err, rights.ErrNoCode) || !strings.Contains(err.Error(), "closed") {
		t.Errorf("the tenth: %v", err)
	}
	for _, code := range []string{second, third} {
		if _, err := l.Pair(code, ""); !errors.Is(err, rights.ErrNoCode) {
			t.Errorf("after ten: %v", err)
		}
	}
	if len(l.Waiting()) > 0 || len(l.Paired()) != 1 {
		t.Errorf("waiting: %+v, paired: %+v", l.Waiting(), l.Paired())
	}
}

func TestPair_PairingOffOrReservedName_Fails(t *testing.T) {
	t.Parallel()
	file := place(t)
	l := open(t, rights.Config{File: file, Pairing: true})
	code := requestCode(t, l, anna)
	if _, err := open(t, rights.Config{File: file}).Pair(code, ""); !errors.Is(err, rights.ErrPairingOff) {
		t.Errorf("pairing is off: %v", err)
	}
	for _, name := range []string{"an na", "matrix:U024BE7LH", "oidc:anna", "\x1b[2J", strings.Repeat("x", 101)} {
		if _, err := l.Pair(code, name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
	if _, ok := l.Person(anna); ok {
		t.Error("she was let in")
	}
	if _, err := l.Pair(code, "anna@example.com"); err != nil {
		t.Errorf("none of these was a wrong code: %v", err)
	}
}
