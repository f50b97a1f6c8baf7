package rights_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/chats/rights"
)

const (
	anna  = chats.ID("@anna:example.org")
	ben   = chats.ID("U024BE7LH")
	cleo  = chats.ID("1003")
	group = chats.ID("C024BE91L")
)

// numbered returns an ID for one of many people.
func numbered(n int) chats.ID { return chats.ID(fmt.Sprintf("@ringer%d:example.org", n)) }

// place returns the path of a file that does not exist yet.
func place(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "matrix", "people.json")
}

// open opens a list of the platform Matrix.
func open(t *testing.T, c rights.Config) *rights.List {
	t.Helper()
	c.Platform = "Matrix"
	l, err := rights.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func requestCode(t *testing.T, l *rights.List, id chats.ID) (code string) {
	t.Helper()
	code, tell, err := l.Invite(chats.Person{ID: id})
	if err != nil || !tell || code == "" {
		t.Fatalf("%s was given %q, told: %v, %v", id, code, tell, err)
	}
	return code
}

func TestList_NotNamed_HasNoAccess(t *testing.T) {
	t.Parallel()
	everybody := []chats.ID{"", "1", anna, ben, "@ANNA:example.org", "anna", group, " ", "\x1b[2J"}
	for _, c := range []rights.Config{{}, {File: place(t)}, {File: place(t), Pairing: true}, {People: map[chats.ID]string{}, Groups: map[chats.ID]string{}}} {
		l := open(t, c)
		for _, id := range everybody {
			if name, ok := l.Person(id); ok || name != "" {
				t.Errorf("%+v: person %q is %q", c, id, name)
			}
			if name, ok := l.Group(id); ok || name != "" {
				t.Errorf("%+v: group %q is %q", c, id, name)
			}
		}
	}
	l := open(t, rights.Config{People: map[chats.ID]string{anna: "anna", ben: ""}, Groups: map[chats.ID]string{group: "ringers", "!room:example.org": ""}})
	for _, id := range everybody {
		want := map[chats.ID]string{anna: "anna", ben: "matrix:U024BE7LH"}[id]
		if name, ok := l.Person(id); name != want || ok != (want != "") {
			t.Errorf("person %q is %q, %v", id, name, ok)
		}
	}
	if name, ok := l.Group(group); !ok || name != "ringers" {
		t.Errorf("%q, %v", name, ok)
	}
	if name, ok := l.Group("!room:example.org"); !ok || name != "matrix:!room:example.org" {
		t.Errorf("%q, %v", name, ok)
	}
}

func TestOpen_AmbiguousPeopleOrGroups_Fails(t *testing.T) {
	t.Parallel()
	for why, c := range map[string]rights.Config{
		"no person":           {People: map[chats.ID]string{"": "anna"}},
		"no group":            {Groups: map[chats.ID]string{"": "ringers"}},
		"a control character": {People: map[chats.ID]string{"@anna\x1b[2J": "anna"}},
		"a space":             {People: map[chats.ID]string{"@anna example.org": "anna"}},
		"a long ID":           {People: map[chats.ID]string{chats.ID(strings.Repeat("x", 256)): "anna"}},
		"one name for both":   {People: map[chats.ID]string{anna: "x"}, Groups: map[chats.ID]string{group: "x"}},
		"one ID for both":     {People: map[chats.ID]string{anna: ""}, Groups: map[chats.ID]string{anna: ""}},
		"another's ID":        {People: map[chats.ID]string{anna: "matrix:" + string(ben)}},
		"an issuer's person":  {People: map[chats.ID]string{anna: "oidc:anna"}},
		"no name":             {People: map[chats.ID]string{anna: "an na"}},
	} {
		c.Platform = "Matrix"
		if _, err := rights.Open(c); err == nil {
			t.Errorf("%s: accepted", why)
		}
	}
	if _, err := rights.Open(rights.Config{}); err == nil {
		t.Error("a list without a platform is accepted")
	}
	own := map[chats.ID]string{anna: "matrix:" + string(anna)}
	if name, ok := open(t, rights.Config{People: own}).Person(anna); !ok || name != own[anna] {
		t.Errorf("the generated name: %q, %v", name, ok)
	}
}

func TestList_BrokenFile_DeniesPairedPeopleAndKeepsTheFile(t *testing.T) {
	t.Parallel()
	file := place(t)
	l := open(t, rights.Config{File: file, Pairing: true, People: map[chats.ID]string{anna: "anna"}})
	if _, err := l.Pair(requestCode(t, l, ben), ""); err != nil {
		t.Fatal(err)
	}
	code := requestCode(t, l, cleo)
	const broken = `{"paired": [{"id": "U024BE7LH"`
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := l.Person(ben); ok {
		t.Error("somebody is let in by a file that cannot be read")
	}
	if _, ok := l.Person(anna); !ok {
		t.Error("the settings' people do not depend on the file")
	}
	if _, tell, err := l.Invite(chats.Person{ID: "1004"}); err == nil || tell {
		t.Errorf("a code: told %v, %v", tell, err)
	}
	if _, err := l.Pair(code, ""); err == nil || errors.Is(err, rights.ErrNoCode) {
		t.Errorf("pairing: %v", err)
	}
	if err := l.Unpair(ben); err == nil || errors.Is(err, rights.ErrNotPaired) {
		t.Errorf("unpairing: %v", err)
	}
	if _, err := rights.Open(rights.Config{Platform: "Matrix", File: file}); err == nil || !strings.Contains(err.Error(), file) {
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

// Earlier versions stored Telegram's numbers.
func TestList_FileWithNumbers_IsReadAndRewrittenWithText(t *testing.T) {
	t.Parallel()
	file := place(t)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	const old = `{"paired": [{"id": 1001, "name": "anna", "username": "anna_x", "at": "2026-01-02T03:04:05Z"}, {"id": 0, "name": "nobody"}],
		"strangers": [{"id": 1002, "name": "Ben", "told": "%s", "codes": ["%[1]s"], "hash": "%s"}]}`
	now := time.Now().Format(time.RFC3339)
	hash := sha256.Sum256([]byte("AAAACCCC"))
	if err := os.WriteFile(file, fmt.Appendf(nil, old, now, hex.EncodeToString(hash[:])), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, rights.Config{File: file, Pairing: true})
	if name, ok := l.Person("1001"); !ok || name != "anna" {
		t.Errorf("%q, %v", name, ok)
	}
	for _, id := range []chats.ID{"", "0"} {
		if name, ok := l.Person(id); ok {
			t.Errorf("%q is %q", id, name)
		}
	}
	if w := l.Waiting(); len(w) != 1 || w[0].ID != "1002" {
		t.Errorf("there wait %+v", w)
	}
	if p, err := l.Pair("aaaa-cccc", "ben"); err != nil || p.ID != "1002" {
		t.Errorf("%+v, %v", p, err)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `"id": "1001"`) || !strings.Contains(string(text), `"id": "1002"`) {
		t.Errorf("the file is now %s, %v", text, err)
	}
	if err := l.Unpair("1001"); err != nil {
		t.Error(err)
	}
	if _, ok := open(t, rights.Config{File: file}).Person("1002"); !ok {
		t.Error("the rewritten file does not let ben in")
	}
}
