package rights_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/chats/rights"
)

var form = regexp.MustCompile(`^[ACDEFHJKMNPQRTWXY3479]{4}-[ACDEFHJKMNPQRTWXY3479]{4}$`)

func TestInvite_RepeatedMessages_GetOneReplyAnHourAndThreeCodesADay(t *testing.T) {
	t.Parallel()
	file := place(t)
	synctest.Test(t, func(t *testing.T) {
		began, seen := time.Now(), map[string]bool{}
		for _, want := range []struct {
			at         time.Duration
			code, tell bool
		}{
			{0, true, true},
			{time.Second, false, false},
			{59 * time.Minute, false, false},
			{time.Hour, true, true},
			{time.Hour + 59*time.Minute, false, false},
			{2 * time.Hour, true, true},
			{3 * time.Hour, false, true}, // the fourth is refused, with one reply
			{4 * time.Hour, false, false},
			{23 * time.Hour, false, false},
			{24 * time.Hour, true, true}, // the first code is a day old
			{24*time.Hour + time.Minute, false, false},
			{25 * time.Hour, true, true},
		} {
			<-time.After(time.Until(began.Add(want.at)))
			// A new list each time: the limits survive a restart.
			code, tell, err := open(t, rights.Config{File: file, Pairing: true}).Invite(chats.Person{ID: anna})
			if err != nil || tell != want.tell || (code != "") != want.code {
				t.Errorf("after %v: %q, told: %v, %v", want.at, code, tell, err)
			}
			if code != "" && (!form.MatchString(code) || seen[code]) {
				t.Errorf("%q is no code, or no new one", code)
			}
			seen[code] = true
		}
	})
}

func TestInvite_PairingOff_RepliesOnceWithoutCode(t *testing.T) {
	t.Parallel()
	file := place(t)
	synctest.Test(t, func(t *testing.T) {
		l := open(t, rights.Config{File: file})
		for hour := range 24 {
			code, tell, err := l.Invite(chats.Person{ID: anna})
			if err != nil || code != "" || tell != (hour == 0) {
				t.Errorf("in hour %d: %q, told: %v, %v", hour, code, tell, err)
			}
			<-time.After(time.Hour)
		}
		if waiting := l.Waiting(); len(waiting) > 0 {
			t.Errorf("there wait %+v", waiting)
		}
	})
}

func TestInvite_PersonWithAccessOrInvalidID_GetsNoReply(t *testing.T) {
	t.Parallel()
	l := open(t, rights.Config{File: place(t), Pairing: true, People: map[chats.ID]string{anna: ""}})
	for _, id := range []chats.ID{anna, "", " ", "@eve\x1b]0;owned\a:example.org"} {
		if code, tell, err := l.Invite(chats.Person{ID: id}); code != "" || tell || err != nil {
			t.Errorf("%q: %q, told: %v, %v", id, code, tell, err)
		}
	}
}

func TestInvite_FiftyOpenCodes_GivesNoMore(t *testing.T) {
	t.Parallel()
	file := place(t)
	synctest.Test(t, func(t *testing.T) {
		l := open(t, rights.Config{File: file, Pairing: true})
		for n := range 50 {
			requestCode(t, l, numbered(n))
		}
		late := chats.Person{ID: "@late:example.org"}
		for _, want := range []bool{true, false} {
			if code, tell, err := l.Invite(late); code != "" || tell != want || err != nil {
				t.Errorf("the 51st: %q, told: %v, %v", code, tell, err)
			}
		}
		if n := len(l.Waiting()); n != 50 {
			t.Errorf("%d wait", n)
		}
		<-time.After(time.Hour)
		if n := len(l.Waiting()); n != 0 {
			t.Errorf("%d wait with codes that are too old", n)
		}
		requestCode(t, l, late.ID) // other codes have expired, and the last reply is an hour old
	})
}

func TestInvite_ManyStrangers_StoresAtMostOneThousand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := open(t, rights.Config{}) // in memory: a thousand writes would take a while
		crowd := func() (notified int) {
			for n := range 1200 {
				if _, tell, _ := l.Invite(chats.Person{ID: numbered(n)}); tell {
					notified++
				}
			}
			return notified
		}
		if notified := crowd(); notified != 1000 {
			t.Errorf("%d were told", notified)
		}
		<-time.After(24 * time.Hour)
		if notified := crowd(); notified != 1000 {
			t.Errorf("a day later %d were told", notified)
		}
	})
}

func TestInvite_HostileName_KeepsPrintableCharactersOnly(t *testing.T) {
	t.Parallel()
	l := open(t, rights.Config{File: place(t), Pairing: true})
	hostile := "\x1b[2J\x1b]0;owned\aAnna \u202eneB\r\n\t\u009b31m\xff" + strings.Repeat("x", 1000)
	if _, _, err := l.Invite(chats.Person{ID: anna, Name: hostile, Username: "аnna\x00ы"}); err != nil {
		t.Fatal(err)
	}
	got := l.Waiting()[0]
	if want := ("[2J]0;ownedAnna neB31m" + strings.Repeat("x", 64))[:64]; got.Name != want || got.Username != "аnnaы" {
		t.Errorf("%q, %q", got.Name, got.Username)
	}
}
