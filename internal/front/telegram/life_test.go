package telegram_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/testkit/fakegram"
	"github.com/bellcord/bellcord/store"
)

func TestMessage_SentWhileServerIsDown_IsAnsweredByTheNext(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say One.")
		s.pass(3 * time.Second)
		s.leave()
		s.sendText(anna, "say Two.")
		s.pass(time.Minute)
		s.sees(anna, "One.")
		s.open(s.with)
		s.pass(3 * time.Second)
		s.sees(anna, "One.", "Two.")
	})
}

// die simulates a kill -9: nothing more reaches Telegram, and the next server
// starts with the data as it is now.
func (s *stage) die() {
	s.Helper()
	next := s.data + "-next"
	s.must(os.CopyFS(next, os.DirFS(s.data)))
	s.drop()
	s.data = next
	s.open(s.with)
}

func TestLaw33_ServerKilledDuringTurn_ShowsItAsLostWithItsText(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "say I look.\ntool ls\nslow 200")
		s.pass(5 * time.Second)
		s.sees(anna, "I look.")
		s.die()
		s.pass(time.Minute)
		got := s.bot(anna)
		if len(got) != 2 || got[0] != "I look." || !strings.HasPrefix(got[1], "word0 word1") || !strings.Contains(got[1], "✗ Lost") {
			t.Errorf("the chat shows %q", got)
		}
		s.press(anna, anna, "Retry")
		s.pass(2 * time.Second)
		s.sendText(anna, "/clear")
		s.pass(5 * time.Second)
		if got := s.last(anna).Text; got != clearedText {
			t.Errorf("the chat ends with %q", got)
		}
	})
}

func TestAnswer_UnsentWhenServerIsKilled_IsSentByTheNext(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Storm(func(c fakegram.Call) fakegram.Weather {
			if c.Method == "sendMessage" {
				return fakegram.Weather{RetryAfter: 60}
			}
			return fakegram.Weather{}
		})
		s.sendText(anna, "slow 20\nsay The end.")
		s.pass(10 * time.Second)
		s.sees(anna)
		s.gram.Storm(nil)
		s.die()
		s.pass(5 * time.Minute)
		s.sees(anna, words(20)+"The end.")
	})
}

func TestPrompt_OnDiskWhenServerIsKilled_IsAnsweredOnce(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Storm(func(c fakegram.Call) fakegram.Weather {
			if c.Method == "getFile" {
				return fakegram.Weather{Before: time.Hour}
			}
			return fakegram.Weather{}
		})
		_, err := s.gram.SayPhoto(anna, anna, "bell.png", picture(), "say What a bell.")
		s.must(err)
		s.pass(2 * time.Second)
		s.gram.Storm(nil)
		s.die()
		s.pass(10 * time.Second)
		s.sees(anna, "What a bell.")
		s.die() // handled updates are not delivered again
		s.pass(10 * time.Second)
		s.sees(anna, "What a bell.")
	})
}

func TestBlockedBot_DuringTurn_LetsTheTurnFinish(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 100")
		s.pass(2 * time.Second)
		s.gram.Block(anna)
		synctest.Wait()
		s.pass(20 * time.Second)
		all, err := s.hub.Sessions(s.Context(), store.SessionQuery{Owner: "anna"})
		s.must(err)
		if len(s.hub.Unsettled()) != 0 || len(all) != 1 {
			t.Error("the turn has not ended by itself")
		}
	})
}

func TestAnswer_EndsWithTool_TextBeforeItIsSentAfterAKill(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Storm(func(c fakegram.Call) fakegram.Weather {
			if c.Method == "sendMessage" {
				return fakegram.Weather{RetryAfter: 60}
			}
			return fakegram.Weather{}
		})
		s.sendText(anna, "say I look.\ntool ls")
		s.pass(10 * time.Second)
		s.gram.Storm(nil)
		s.die()
		s.pass(5 * time.Minute)
		s.sees(anna, "I look.")
	})
}

func TestTextBeforeTool_UnsentWhenServerIsKilled_IsSentByTheNext(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.gram.Storm(func(c fakegram.Call) fakegram.Weather {
			if c.Method == "sendMessage" {
				return fakegram.Weather{RetryAfter: 60}
			}
			return fakegram.Weather{}
		})
		s.sendText(anna, "say I look.\nlong sleep")
		s.pass(10 * time.Second)
		s.sees(anna)
		s.gram.Storm(nil)
		s.die()
		s.pass(5 * time.Minute)
		if got := s.bot(anna); len(got) != 2 || got[0] != "I look." || !strings.Contains(got[1], "✗ Lost") {
			t.Errorf("the chat shows %q", got)
		}
	})
}
