package telegram_test

import (
	"strings"
	"testing"
	"time"
)

func TestChat_Idle_IsRemovedUnlessATurnIsActive(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "long make test")
		s.sendText(ben, "say Hello.")
		s.pass(2 * time.Hour) // four times the idle limit
		if got := s.draft(anna); !strings.Contains(got, "make test") {
			t.Errorf("the draft is %q", got)
		}
		s.sendText(anna, "/stop")
		s.pass(3 * time.Second)
		s.stopped(anna, "1 tool call stopped")
		s.sendText(ben, "recall")
		s.pass(3 * time.Second)
		if got := s.last(ben).Text; !strings.Contains(got, "say Hello.") {
			t.Errorf("the chat that was let go of goes on with %q", got)
		}
	})
}

func TestShutdown_TurnsRunning_StopsThemAndReportsItInTheirChats(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "slow 50")
		s.sendText(ben, "long make test")
		s.pass(2 * time.Second)
		s.leave()
		s.stopped(anna, "word0 word1", "Bellcord was closed")
		s.stopped(ben, "Bellcord was closed", "1 tool call stopped")
	})
}
