package telegram_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
	"github.com/bellcord/bellcord/store"
)

// running returns the only turn that has not ended.
func (s *stage) running() bellcord.TurnID {
	s.Helper()
	var found []bellcord.TurnID
	for _, of := range s.sessions("") {
		turns, err := s.hub.UnendedTurns(s.Context(), of.ID)
		s.must(err)
		for _, turn := range turns {
			found = append(found, turn.ID)
		}
	}
	if len(found) != 1 {
		s.Fatalf("%d turns run", len(found))
	}
	return found[0]
}

// sessions returns an owner's sessions, or all for "".
func (s *stage) sessions(owner string) []bellcord.Session {
	s.Helper()
	all, err := s.hub.Sessions(s.Context(), store.SessionQuery{Owner: owner})
	s.must(err)
	return all
}

// forge simulates a press on a nonexistent button in the person's private chat,
// and returns the reply to the press.
func (s *stage) forge(user int64, data string) string {
	s.Helper()
	return s.forgeOn(user, 1, data)
}

// forgeOn does the same for a button under the given message.
func (s *stage) forgeOn(user int64, message int, data string) string {
	s.Helper()
	before := len(s.gram.CallsOf("answerCallbackQuery"))
	s.front.Take(wire.Update{ID: 1, At: time.Now(), Press: &wire.Press{
		Query: "forged", Place: wire.Place{Chat: user}, Message: message, From: wire.Person{ID: user}, Data: data,
	}})
	synctest.Wait()
	calls := s.gram.CallsOf("answerCallbackQuery")
	if len(calls) != before+1 {
		s.Fatalf("the press of %q was answered %d times", data, len(calls)-before)
	}
	return calls[before].Params["text"]
}

func TestPress_ByAnotherPersonInAPrivateChat_IsRefused(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "ask May I?")
		s.pass(3 * time.Second)
		once := s.button(s.newestQuestion(anna), "Once")
		for _, who := range []int64{ben, eve, 0} {
			s.front.Take(wire.Update{ID: 1, At: time.Now(), Press: &wire.Press{
				Query: "forged", Place: wire.Place{Chat: anna}, Message: once.Message, From: wire.Person{ID: who}, Data: once.Data,
			}})
		}
		s.pass(3 * time.Second)
		for _, call := range s.gram.CallsOf("answerCallbackQuery") {
			if call.Params["text"] != "This bot is private." {
				t.Errorf("the press is answered %q", call.Params["text"])
			}
		}
		if m := s.newestQuestion(anna); m.Text != "❓ May I?" || m.Markup == nil {
			t.Errorf("after the presses the question is %q", m.Text)
		}
	})
}

func TestStranger_SeveralMessages_GetsOneReply(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for _, text := range []string{"hello", "/start", "/stop", "/clear", "stop", "! now", "/sessions"} {
			s.sendText(eve, text)
			s.pass(3 * time.Second)
		}
		s.sees(eve, "This bot is private.")
		if got := s.sessions(""); len(got) != 0 {
			t.Errorf("there are sessions: %+v", got)
		}
		if got := s.given(); len(got) != 0 {
			t.Errorf("the agent was given %q", got)
		}
	})
}

func TestRights_EmptyLists_AdmitNoPerson(t *testing.T) {
	t.Parallel()
	onStage(t, func(with *setup) { with.rights.Users, with.rights.Groups = nil, nil }, func(s *stage) {
		s.sendText(anna, "say Hello.")
		s.sendTextIn(group, anna, "@bellcord_bot say Hello.")
		s.pass(5 * time.Second)
		s.sees(anna, "This bot is private.")
		s.sees(group)
		if got := s.given(); len(got) != 0 {
			t.Errorf("the agent was given %q", got)
		}
	})
}

var codeIn = regexp.MustCompile(`approve (\S+)$`)

func TestStranger_PairedAndUnpaired_GainsAndLosesAccessAtOnce(t *testing.T) {
	t.Parallel()
	onStage(t, func(with *setup) { with.rights.Pairing = true }, func(s *stage) {
		s.sendText(eve, "hello")
		s.pass(3 * time.Second)
		code := codeIn.FindStringSubmatch(s.last(eve).Text)
		if code == nil {
			t.Fatalf("the stranger is told %q", s.last(eve).Text)
		}
		_, err := s.list.Pair(code[1], "eve")
		s.must(err)
		s.sendText(eve, "ask May I?")
		s.pass(3 * time.Second)
		question := s.newestQuestion(eve)
		if got := s.sessions("eve"); len(got) != 1 {
			t.Errorf("eve has %d sessions", len(got))
		}
		s.must(s.list.Unpair("1003"))
		for _, words := range []string{"Once", "Stop"} {
			id, err := s.gram.Press(eve, s.button(question, words))
			s.must(err)
			synctest.Wait()
			if answer, _, _ := s.gram.Answered(id); answer != "This bot is private." {
				t.Errorf("a press of %s is told %q", words, answer)
			}
		}
		s.sendText(eve, "/stop")
		s.pass(5 * time.Second)
		turn, err := s.hub.Turn(s.Context(), s.running())
		s.must(err)
		if turn.Stop != nil {
			t.Errorf("somebody without rights has stopped it: %+v", turn.Stop)
		}
	})
}

func TestGroup_NotListed_GetsItsIDOnceWhenTheBotIsAddressed(t *testing.T) {
	t.Parallel()
	hearsAll := func(with *setup) {
		with.rights.Groups = nil
		with.gram = append(with.gram, fakegram.WithAllGroupMessages())
	}
	onStage(t, hearsAll, func(s *stage) {
		for _, text := range []string{"good morning", "stop", "/stop@other_bot", "@bellcord_bot2 hello"} {
			s.sendTextIn(group, anna, text)
			s.pass(4 * time.Second)
		}
		s.sees(group)
		for _, text := range []string{"@bellcord_bot say Hello.", "/status", "/stop@bellcord_bot"} {
			s.sendTextIn(group, anna, text)
			s.pass(4 * time.Second)
		}
		s.sees(group, fmt.Sprintf("I'm not set up for this group. To allow it, add its ID, %d, under [telegram.groups] in the server's settings.", group))
		if got := s.sessions(""); len(got) != 0 {
			t.Errorf("there are sessions: %+v", got)
		}
	})
}

func TestGroup_PersonNotListed_IsIgnored(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Promote(group, eve, "member")
		s.sendTextIn(group, anna, "@bellcord_bot slow 100")
		s.pass(4 * time.Second)
		for _, text := range []string{"/stop", "/clear", "@bellcord_bot say Mine.", "/status"} {
			s.sendTextIn(group, eve, text)
			s.pass(time.Second)
		}
		s.pass(15 * time.Second)
		if got := s.bot(group); len(got) != 1 || !strings.HasSuffix(got[0], "word99") {
			t.Errorf("the group sees %q", got)
		}
	})
}

func TestGroup_MessageOfABot_IsIgnoredEvenIfListed(t *testing.T) {
	t.Parallel()
	const robot = int64(1004)
	onStage(t, func(with *setup) { with.rights.Users["robot"] = robot }, func(s *stage) {
		s.gram.AddPerson(fakegram.User{ID: robot, FirstName: "Robot", Username: "robot_bot", IsBot: true})
		s.gram.Promote(group, robot, "member")
		s.sendTextIn(group, robot, "@bellcord_bot say Hello.")
		s.pass(8 * time.Second)
		s.sees(group)
	})
}

func TestLaw35_ForgedButtonOrStop_CannotReachAnotherPersonsTurn(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(ben, "say Mine.")
		s.sendText(anna, "ask May I?")
		s.pass(3 * time.Second)
		turn, session := s.running(), s.sessions("anna")[0].ID
		for _, data := range []string{
			"s:" + string(turn), "q:" + string(turn) + ":0:0", "c:" + string(turn), "t:" + string(turn),
			"r:" + string(turn), "d:" + string(turn), "o:" + string(session), "f:" + string(turn) + ":0",
		} {
			refusals := []string{
				"Already finished.", "This button no longer applies.", "That session no longer exists.",
				"That session is no longer open in this chat.", "This button has expired. Send /file and the file's name instead.",
			}
			if answer := s.forge(ben, data); !slices.Contains(refusals, answer) {
				t.Errorf("%s is told %q", data, answer)
			}
		}
		s.pass(3 * time.Second)
		s.sees(ben, "Mine.")
		s.sendText(ben, "/stop all")
		s.pass(3 * time.Second)
		s.sees(ben, "Mine.", "Nothing is running.")
		found, err := s.hub.Turn(s.Context(), turn)
		s.must(err)
		if found.Stop != nil || found.Receipt != nil {
			t.Errorf("ben reached anna's turn: %+v", found)
		}
		s.press(anna, anna, "Once")
		s.pass(4 * time.Second)
		if got := s.last(anna).Text; got != "chosen: yes" {
			t.Errorf("anna's turn ended with %q", got)
		}
	})
}

func TestButton_InvalidData_DoesNothing(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for _, data := range []string{"", ":", "s:", "q:", "q:::", "q:a:b:c", "r:", "d:", "o:", "f:", "f::-1", "c:", "t:", "zz", "s", "a:nobody", "m:", "m:nothing"} {
			if answer := s.forge(anna, data); answer == "" {
				t.Errorf("%q was taken for something", data)
			}
		}
		s.sendText(anna, "say Still here.")
		s.pass(3 * time.Second)
		s.sees(anna, "Still here.")
	})
}

func TestStop_ByPersonInGroup_IsNamedInTheReceipt(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(s *stage){
		"the command": func(s *stage) { s.sendTextIn(group, ben, "/stop") },
		"the button":  func(s *stage) { s.press(group, ben, "Stop") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStage(t, nil, func(s *stage) {
				s.sendTextIn(group, anna, "@bellcord_bot slow 100")
				s.pass(4 * time.Second)
				turn := s.running()
				stop(s)
				s.pass(8 * time.Second)
				found, err := s.hub.Turn(s.Context(), turn)
				s.must(err)
				if c := found.Receipt.Cause; c == nil || c.By != "ben" || c.Source != "Telegram" || c.Kind != bellcord.CausePerson {
					t.Errorf("the cause is %+v", c)
				}
				s.stopped(group, "by ben")
				if got := s.sessions("ringers"); len(got) != 1 {
					t.Errorf("the group has %d sessions", len(got))
				}
			})
		})
	}
}
