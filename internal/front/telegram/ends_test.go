package telegram_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

func TestFailedTurn_ExposeErrors_DecidesWhetherTheReasonIsShown(t *testing.T) {
	t.Parallel()
	for exposed, want := range map[bool]string{
		false: "I try.\n\n✗ Something went wrong. The server's log has the details.",
		true:  "I try.\n\n✗ the <model> said no & left",
	} {
		onStage(t, func(with *setup) { with.ExposeErrors = exposed }, func(s *stage) {
			s.sendText(anna, "say I try.\nfail the <model> said no & left")
			s.pass(3 * time.Second)
			s.sees(anna, want)
			if got := s.labels(anna); !slices.Equal(got, []string{"↻ Retry"}) {
				t.Errorf("it offers %q", got)
			}
		})
	}
}

func TestFailedTurn_LongReason_KeepsTheWholeAnswer(t *testing.T) {
	t.Parallel()
	onStage(t, func(with *setup) { with.ExposeErrors = true }, func(s *stage) {
		s.sendText(anna, "repeat 790 bell \nfail "+strings.Repeat("because ", 400))
		s.pass(6 * time.Second)
		all := strings.Join(s.bot(anna), "\n")
		if strings.Count(all, "bell") != 790 || !strings.Contains(all, "✗ because because") {
			t.Errorf("the chat shows %q", all)
		}
		if got := s.labels(anna); !slices.Equal(got, []string{"↻ Retry"}) {
			t.Errorf("it offers %q", got)
		}
	})
}

func TestStoppedTurn_FullMessage_SendsTheLastLineSeparately(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		for n := 30; n < 90; n += 6 { // around the longest line that still fits
			s.sendText(anna, "repeat 4000 x\nhang 1m")
			s.pass(5 * time.Second)
			s.hub.Stop(bellcord.StopRequest{Cause: bellcord.Cause{By: "ben", Source: strings.Repeat("p", n)}})
			s.pass(5 * time.Second)
			s.stopped(anna, "by ben, ppp")
		}
		if all := strings.Join(s.bot(anna), ""); strings.Count(all, "x") != 10*4000 {
			t.Errorf("of 10 answers there are %d characters", strings.Count(all, "x"))
		}
	})
}

func TestPreview_ModelRetry_IsShownUntilTextArrives(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "retry 5s\nhang 5s\nsay There it is.\nhang 3s")
		s.pass(3 * time.Second)
		if got := s.draft(anna); got != "↻ The model request failed. Retrying in 5.0 s." {
			t.Errorf("the draft is %q", got)
		}
		s.pass(4 * time.Second)
		if got := s.draft(anna); got != "There it is." {
			t.Errorf("after that the draft is %q", got)
		}
	})
}

func TestPreview_ScanOfFiles_IsShownFromTheSecondReportUntilItsEnd(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "scan 1\nhang 4s\nscan 2\nhang 5s\nscan 0\nhang 5s\nsay Done.")
		s.pass(3 * time.Second)
		if got := s.draft(anna); strings.Contains(got, "undo") {
			t.Errorf("at first the draft is %q", got)
		}
		s.pass(3 * time.Second)
		if got := s.draft(anna); got != "🗂 Scanning files for undo (2, 2 MB so far)." {
			t.Errorf("the draft is %q", got)
		}
		s.pass(5 * time.Second)
		if got := s.draft(anna); strings.Contains(got, "undo") {
			t.Errorf("after the scan the draft is %q", got)
		}
		s.pass(10 * time.Second)
		s.sees(anna, "Done.")
	})
}

func TestPreview_Plan_ShowsProgressAndCurrentStep(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "plan look:completed change:in_progress test:pending\nhang 5s\nplan look:completed change:completed test:pending\nhang 5s\nsay Done.")
		s.pass(3 * time.Second)
		if got := s.draft(anna); got != "📋 1 of 3 done: change" {
			t.Errorf("the draft is %q", got)
		}
		s.pass(5 * time.Second)
		if got := s.draft(anna); got != "📋 2 of 3 done: test" {
			t.Errorf("later the draft is %q", got)
		}
		s.pass(10 * time.Second)
		s.sees(anna, "Done.")
	})
}

func TestTurn_EndsWithoutText_ReportsIt(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.sendText(anna, "hang 1s")
		s.pass(4 * time.Second)
		s.sendText(anna, "say Words.\ntool ls")
		s.pass(5 * time.Second)
		s.sees(anna, "Done, with no text.", "Words.")
	})
}

func TestMessages_OlderThanLimit_AreSkippedWithOneNotice(t *testing.T) {
	t.Parallel()
	onStage(t, nil, func(s *stage) {
		s.leave()
		for _, text := range []string{"say One.", "say Two.", "/clear"} {
			_, err := s.gram.Say(anna, anna, text)
			s.must(err)
		}
		s.pass(11 * time.Minute)
		_, err := s.gram.Say(anna, anna, "say Three.")
		s.must(err)
		s.open(s.with)
		s.pass(5 * time.Second)
		s.sees(anna, "I was offline. I skipped messages that are more than 10 min old: send them again if they still matter.", "Three.")
		if got := s.given(); !slices.Equal(got, []string{"say Three."}) {
			t.Errorf("the agent was given %q", got)
		}
	})
}
