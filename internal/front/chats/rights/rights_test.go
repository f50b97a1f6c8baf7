package rights_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/front/chats/rights"
)

const (
	anna  = int64(1001)
	ben   = int64(1002)
	group = int64(-1001)
)

// place returns the path of a file that does not exist yet.
func place(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "telegram", "people.json")
}

func open(t *testing.T, c rights.Config) *rights.List {
	t.Helper()
	l, err := rights.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func requestCode(t *testing.T, l *rights.List, id int64) (code string) {
	t.Helper()
	code, tell, err := l.Code(rights.Stranger{ID: id})
	if err != nil || !tell || code == "" {
		t.Fatalf("%d was given %q, told: %v, %v", id, code, tell, err)
	}
	return code
}

func TestList_NotNamed_HasNoAccess(t *testing.T) {
	t.Parallel()
	everybody := []int64{0, 1, anna, ben, -anna, group, 777000, 136817688, 1087968824}
	for _, c := range []rights.Config{{}, {File: place(t)}, {File: place(t), Pairing: true}, {People: map[int64]string{}, Groups: map[int64]string{}}} {
		l := open(t, c)
		for _, id := range everybody {
			if name, ok := l.Person(id); ok || name != "" {
				t.Errorf("%+v: person %d is %q", c, id, name)
			}
			if name, ok := l.Group(id); ok || name != "" {
				t.Errorf("%+v: group %d is %q", c, id, name)
			}
		}
	}
	l := open(t, rights.Config{People: map[int64]string{anna: "anna", ben: ""}, Groups: map[int64]string{group: "ringers", -2: ""}})
	for _, id := range everybody {
		want := map[int64]string{anna: "anna", ben: "telegram:1002"}[id]
		if name, ok := l.Person(id); name != want || ok != (want != "") {
			t.Errorf("person %d is %q, %v", id, name, ok)
		}
	}
	if name, ok := l.Group(group); !ok || name != "ringers" {
		t.Errorf("%q, %v", name, ok)
	}
	if name, ok := l.Group(-2); !ok || name != "telegram:-2" {
		t.Errorf("%q, %v", name, ok)
	}
}

func TestOpen_AmbiguousPeopleOrGroups_Fails(t *testing.T) {
	t.Parallel()
	for why, c := range map[string]rights.Config{
		"no one person":       {People: map[int64]string{0: "anna"}},
		"a group as a person": {People: map[int64]string{group: "anna"}},
		"whoever is an admin": {People: map[int64]string{1087968824: "anna"}},
		"whatever channel":    {People: map[int64]string{136817688: "anna"}},
		"a person as a group": {Groups: map[int64]string{anna: "ringers"}},
		"one name for both":   {People: map[int64]string{anna: "x"}, Groups: map[int64]string{group: "x"}},
		"another's number":    {People: map[int64]string{anna: "telegram:1002"}},
		"an issuer's person":  {People: map[int64]string{anna: "oidc:anna"}},
		"no name":             {People: map[int64]string{anna: "an na"}},
	} {
		if _, err := rights.Open(c); err == nil {
			t.Errorf("%s: accepted", why)
		}
	}
}

func TestList_BrokenFile_DeniesPairedPeopleAndKeepsTheFile(t *testing.T) {
	t.Parallel()
	file := place(t)
	l := open(t, rights.Config{File: file, Pairing: true, People: map[int64]string{anna: "anna"}})
	if _, err := l.Pair(requestCode(t, l, ben), ""); err != nil {
		t.Fatal(err)
	}
	code := requestCode(t, l, 1003)
	const broken = `{"paired": [{"id": 1002`
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := l.Person(ben); ok {
		t.Error("somebody is let in by a file that cannot be read")
	}
	if _, ok := l.Person(anna); !ok {
		t.Error("the settings' people do not depend on the file")
	}
	if _, tell, err := l.Code(rights.Stranger{ID: 1004}); err == nil || tell {
		t.Errorf("a code: told %v, %v", tell, err)
	}
	if _, err := l.Pair(code, ""); err == nil || errors.Is(err, rights.ErrNoCode) {
		t.Errorf("pairing: %v", err)
	}
	if err := l.Unpair(ben); err == nil || errors.Is(err, rights.ErrNotPaired) {
		t.Errorf("unpairing: %v", err)
	}
	if _, err := rights.Open(rights.Config{File: file}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("opening: %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != broken {
		t.Errorf("the file is now %q, %v", text, err)
	}
}

func TestList_File_IsPrivateAndContainsNoCode(t *testing.T) {
	t.Parallel()
	file := place(t)
	l := open(t, rights.Config{File: file, Pairing: true})
	code := requestCode(t, l, anna)
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "hash") {
		t.Fatalf("%s, %v", text, err)
	}
	for _, part := range append(strings.Split(code, "-"), code) {
		if strings.Contains(strings.ToUpper(string(text)), `"`+part) {
			t.Errorf("the file has %s in it:\n%s", part, text)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{file: 0o600, file + ".lock": 0o600, filepath.Dir(file): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestList_WithoutFile_KeepsPairingsInMemory(t *testing.T) {
	t.Parallel()
	l := open(t, rights.Config{Pairing: true})
	if _, err := l.Pair(requestCode(t, l, anna), "anna"); err != nil {
		t.Fatal(err)
	}
	if name, ok := l.Person(anna); !ok || name != "anna" {
		t.Errorf("%q, %v", name, ok)
	}
}
