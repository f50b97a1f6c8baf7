package permit_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellcord/bellcord/internal/permit"
)

func anna(id string) permit.Session { return permit.Session{ID: id, Owner: "anna", Dir: "/work"} }

// TestGrant_DifferentText_RequiresApproval pairs a command that a person
// allowed for the session with one that resembles it and means something else.
func TestGrant_DifferentText_RequiresApproval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ allowed, other string }{
		{`cd build && rm -rf ./*`, `rm -rf ./*`},
		{`false && touch deployed`, `touch deployed`},
		{`rm '*'`, `rm *`},
		{`rm -rf "my dir"`, `rm -rf my dir`},
		{`ls -d '~'`, `ls -d ~`},
		{`FOO=1 touch opaque`, `touch opaque`},
		{`ls`, `ls `},
		{`make a && make b`, `make b && make a`},
	} {
		p := policy(t, nil, nil)
		if err := p.Grant(anna("one"), shell(c.allowed), false); err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(anna("one"), permit.Ask, shell(c.allowed)); d.Verdict != permit.Allow {
			t.Errorf("%s: %s, want it allowed", c.allowed, d.Verdict)
		}
		if d := p.Decide(anna("one"), permit.Ask, shell(c.other)); d.Verdict != permit.Put {
			t.Errorf("%s after %s: %s, want a question", c.other, c.allowed, d.Verdict)
		}
		if d := p.Decide(anna("one"), permit.ReadOnly, shell(c.allowed)); d.Verdict != permit.Deny {
			t.Errorf("%s in mode read-only: %s, want it denied", c.allowed, d.Verdict)
		}
	}
}

func TestGrant_ForSession_EndsWithSession(t *testing.T) {
	t.Parallel()
	p := policy(t, nil, nil)
	if err := p.Grant(anna("one"), shell("make"), false); err != nil {
		t.Fatal(err)
	}
	if d := p.Decide(anna("two"), permit.Ask, shell("make")); d.Verdict != permit.Put {
		t.Errorf("another session: %s", d.Verdict)
	}
	p.DropGrants("one")
	if d := p.Decide(anna("one"), permit.Ask, shell("make")); d.Verdict != permit.Put {
		t.Errorf("after the session ended: %s", d.Verdict)
	}
}

func TestGrant_ForGood_AppliesOnlyToOwnerAndDirectory(t *testing.T) {
	t.Parallel()
	var kept []permit.Granted
	p, err := permit.NewPolicy(nil, nil, nil, func(all []permit.Granted) error { kept = all; return nil })
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Grant(anna("one"), shell("make test"), true); err != nil {
			t.Fatal(err)
		}
	}
	if want := []permit.Granted{{Owner: "anna", Dir: "/work", Tool: "shell", Call: "make test"}}; !slices.Equal(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
	again, err := permit.NewPolicy(nil, nil, kept, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		session permit.Session
		call    permit.Call
		want    permit.Verdict
	}{
		{anna("later"), shell("make test"), permit.Allow},
		{anna("later"), shell("make test "), permit.Put},
		{anna("later"), permit.Call{Tool: "other", Effect: permit.Executes, Subject: "make test", Exact: "make test"}, permit.Put},
		{permit.Session{Owner: "bob", Dir: "/work"}, shell("make test"), permit.Put},
		{permit.Session{Owner: "anna", Dir: "/work/sub"}, shell("make test"), permit.Put},
		{permit.Session{Dir: "/work"}, shell("make test"), permit.Put},
	} {
		if d := again.Decide(c.session, permit.Ask, c.call); d.Verdict != c.want {
			t.Errorf("%+v, %s: %s, want %s", c.session, c.call.Subject, d.Verdict, c.want)
		}
	}
}

func TestDecide_AlteredCall_RequiresApprovalWhateverTheRule(t *testing.T) {
	t.Parallel()
	p := policy(t, []string{"shell"}, nil)
	call := shell("date")
	call.Altered = true
	if d := p.Decide(anna("one"), permit.Ask, call); d.Verdict != permit.Put {
		t.Errorf("%s, want a question", d.Verdict)
	}
}

func TestGrant_ForGoodThatCannotBeStored_AllowsNothing(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	p, err := permit.NewPolicy(nil, nil, nil, func([]permit.Granted) error { return full })
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Grant(anna("one"), shell("make"), true); !errors.Is(err, full) {
		t.Errorf("Grant returns %v, want %v", err, full)
	}
	if d := p.Decide(anna("one"), permit.Ask, shell("make")); d.Verdict != permit.Put {
		t.Errorf("the call that was not stored: %s, want a question", d.Verdict)
	}
	full = nil
	if err := p.Grant(anna("one"), shell("make"), true); err != nil {
		t.Fatal(err)
	}
	if d := p.Decide(anna("two"), permit.Ask, shell("make")); d.Verdict != permit.Allow {
		t.Errorf("the call that was stored at the second attempt: %s, want it allowed", d.Verdict)
	}
}
