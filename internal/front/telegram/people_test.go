package telegram_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/telegram"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// manyPeople are the IDs of Telegram that stand for many people.
var manyPeople = map[string]int64{"anonymous admin": 1087968824, "any channel": 136817688, "Telegram itself": 777000}

func TestRights_NumberOfNoPersonOrGroup_Fails(t *testing.T) {
	t.Parallel()
	bad := map[string]telegram.Rights{
		"no person":           {Users: map[string]int64{"anna": 0}},
		"a group as a person": {Users: map[string]int64{"anna": group}},
		"a person as a group": {Groups: map[string]int64{"ringers": anna}},
		"no group":            {Groups: map[string]int64{"ringers": 0}},
		"another's number":    {Users: map[string]int64{"telegram:1002": anna}},
	}
	for why, id := range manyPeople {
		bad[why] = telegram.Rights{Users: map[string]int64{"anna": id}}
	}
	for why, r := range bad {
		if _, err := r.Open(); err == nil {
			t.Errorf("%s: accepted", why)
		}
	}
}

func TestRights_NumbersInSettingsAndFile_AreTheIDsOfTheFront(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "people.json")
	if err := os.WriteFile(file, []byte(`{"paired": [{"id": 1002, "name": "ben"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := telegram.Rights{Users: map[string]int64{"anna": anna, "": eve}, Groups: map[string]int64{"ringers": group}, File: file}.Open()
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[chats.ID]string{"1001": "anna", "1002": "ben", "1003": "telegram:1003", "-1001": "", "": ""} {
		if name, ok := list.Person(id); name != want || ok != (want != "") {
			t.Errorf("%s is %q, %v", id, name, ok)
		}
	}
	if name, ok := list.Group("-1001"); !ok || name != "ringers" {
		t.Errorf("the group is %q, %v", name, ok)
	}
}

func TestRights_IDOfManyPeople_HasNoAccessEvenIfPaired(t *testing.T) {
	t.Parallel()
	onStage(t, func(with *setup) { with.rights.Pairing = true }, func(s *stage) {
		const paired = `{"paired": [{"id": 1087968824, "name": "x"}, {"id": 136817688, "name": "y"}, {"id": 777000, "name": "z"}]}`
		s.must(os.WriteFile(s.data+"/telegram/people.json", []byte(paired), 0o600))
		for n, id := range []int64{1087968824, 136817688, 777000} {
			for _, place := range []wire.Place{{Chat: anna}, {Chat: group, Group: true}} {
				s.front.Take(wire.Update{ID: 1, At: time.Now(), Message: &wire.Message{ID: 100 + n, Place: place, From: wire.Person{ID: id}, Text: "/status"}})
				synctest.Wait()
			}
		}
		s.pass(10 * time.Second)
		s.sees(anna)
		s.sees(group)
	})
}

func TestParseID_Number_IsTheIDOfTheFront(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]chats.ID{"1001": "1001", "+1001": "1001", "-1001": "-1001"} {
		if id, err := telegram.ParseID(text); err != nil || id != want {
			t.Errorf("%s: %q, %v", text, id, err)
		}
	}
	for _, text := range []string{"", "anna", "@anna", "1e3", "99999999999999999999"} {
		if id, err := telegram.ParseID(text); err == nil {
			t.Errorf("%q is accepted as %q", text, id)
		}
	}
}
