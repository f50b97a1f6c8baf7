package chats_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
)

const refused = "This bot is private."

var codeIn = regexp.MustCompile(`\nbellcord memory approve (\S+)$`)

// invites returns the code in the newest message.
func (p *platform) invites() string {
	p.Helper()
	shown := p.shown()
	code := codeIn.FindStringSubmatch(shown[len(shown)-1])
	if code == nil {
		p.Fatalf("no code in %q", shown)
	}
	return code[1]
}

func TestCore_Stranger_IsRefused(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		for _, text := range []string{"hello", "/stop", "stop", "/sessions"} {
			p.writes(eve, text, time.Second)
		}
		p.shows(refused) // one reply an hour
	})
}

func TestCore_Stranger_PairedAndUnpaired_GainsAndLosesAccessAtOnce(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writes(eve, "hello", time.Second)
		made, err := p.list.Pair(p.invites(), "")
		if err != nil || made.ID != eve.ID || made.Name != "memory:@eve:example.org" {
			t.Fatalf("%+v, %v", made, err)
		}
		p.writes(eve, "hello", time.Second)
		p.shows(refused, "echo hello")
		p.writes(eve, "ask", time.Second)
		if err := p.list.Unpair(eve.ID); err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"Once", "Stop"} {
			if reply := p.pressesIn(private, eve, label); reply != refused {
				t.Errorf("the reply to %s is %q", label, reply)
			}
		}
		p.writes(eve, "/stop", time.Second)
		p.shows(refused, "echo hello", "💭", "❓ Really?", refused)
		if got := p.shown()[3]; got != "❓ Really?" {
			t.Errorf("the question is closed: %q", got)
		}
	})
}

func TestCore_QuestionInGroup_IsAnsweredOnlyWithTheRight(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writesIn(group, anna, "ask", time.Second)
		if reply := p.pressesIn(group, eve, "Once"); reply != refused {
			t.Errorf("the reply to eve is %q", reply)
		}
		p.writesIn(group, eve, "stop", time.Second)
		if got := p.shown(); len(got) != 2 || got[1] != "❓ Really?" {
			t.Errorf("the platform shows %q", got)
		}
		if reply := p.pressesIn(group, anna, "Once"); reply != "✓ Once" {
			t.Errorf("the reply to anna is %q", reply)
		}
		if got := strings.Join(p.shown(), "\n"); !strings.Contains(got, "✓ Once — anna") || !strings.Contains(got, "chosen: allow") {
			t.Errorf("the platform shows %q", got)
		}
	})
}

func TestCore_GroupNotListed_GetsItsIDOnce(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writesIn(unlisted, anna, "hello", time.Second)
		p.writesIn(unlisted, anna, "hello", time.Second)
		p.writesIn(unlisted, eve, "hello", time.Second)
		p.shows("I'm not set up for this group. To allow it, add its ID, C0G9QF9GZ, under [memory.groups] in the server's settings.")
	})
}

// An anonymous sender, such as an administrator who writes as the group, is not one
// person.
func TestCore_SenderWithoutID_IsIgnored(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writes(chats.Person{Name: "Anonymous"}, "hello", time.Second)
		p.writesIn(group, chats.Person{Name: "Anonymous"}, "hello", time.Second)
		p.shows()
	})
}

func TestCore_StoredChat_HasTheIDsOfThePlatform(t *testing.T) {
	t.Parallel()
	onPlatform(t, func(p *platform) {
		p.writesIn(group, anna, "slow", 3*time.Second)
		text, err := os.ReadFile(p.dir + "/memory/chats.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"Chat":"C024BE91L"`, `"owner":"ringers"`, `"messages":["$message-1"]`} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s is not in %s", want, text)
			}
		}
		p.pressesIn(group, anna, "Stop")
	})
}
