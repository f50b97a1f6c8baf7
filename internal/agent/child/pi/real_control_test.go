package pi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

func TestRealPi_Settings_AreReportedSetAndAppliedAfterARestart(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		now := s.openSettings(&viewer{})
		if got := values(t, string(now.Reply)); got["model"] != "fake/one" || got["model values"] != "fake/one fake/two" {
			t.Errorf("%v", got)
		}
		if updates := fmt.Sprintf("%s", now.Updates); !strings.Contains(updates, `{"name":"hello","description":"EXPANDED TEMPLATE $@"}`) || !strings.Contains(updates, `"used":0,"size":128000`) {
			t.Errorf("%s", updates)
		}
		got := s.set("model", "fake/two")
		if got["model"] != "fake/two" {
			t.Errorf("%v", got)
		}
		if s.flavour == "new" { // 0.74.2 does not report its thinking levels
			if levels := strings.Fields(got["thought_level values"].(string)); !slices.Contains(levels, "high") {
				t.Errorf("%v", got)
			}
			if got := s.set("thinking_level", "high"); got["thinking_level"] != "high" {
				t.Errorf("%v", got)
			}
		}
		turn := s.prompt(bellcord.Prompt{Text: "[say hello] [usage 100 10]"})
		if r := s.end(turn); r.UsageByModel[0].Model != "fake/two" || s.model.Requests()[0].Model != "two" {
			t.Errorf("%+v, %s", r.UsageByModel, s.lastRequest())
		}
		used := of[bellcord.UsageReported](s.bodies(turn.ID))
		if last := used[len(used)-1].Context; last == nil || last.UsedTokens != 110 || last.SizeTokens != 50000 || last.Cost == nil {
			t.Errorf("%+v", last)
		}
		s.agent.End(s.session.ID) // removes the choice, too; pi's session has it
		s.openSettings(&viewer{})
		s.set("model", "fake/two")
		turn = s.prompt(bellcord.Prompt{Text: `[tool bash {"command":"kill -9 $PPID"}]`})
		s.end(turn)
		again := values(t, string(s.openSettings(&viewer{}).Reply))
		if again["model"] != "fake/two" {
			t.Errorf("after a restart: %v", again)
		}
	})
}

func TestRealPi_Fork_CopiesTheConversationAndKeepsTheSession(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		s.openSettings(&viewer{})
		s.done("remember the heron")
		s.set("model", "fake/two")
		reply, err := s.ask(acp.UnstableForkSession, struct{}{})
		var forked acp.NewSessionResponse
		if err != nil || json.Unmarshal([]byte(reply), &forked) != nil || forked.SessionID == s.hosted()[0] {
			t.Fatalf("%s, %v", reply, err)
		}
		s.done("and the stork")
		if raw := s.lastRequest(); !strings.Contains(raw, "heron") || !strings.Contains(raw, `"model":"two"`) {
			t.Errorf("%s", raw)
		}
		first := s.session
		if s.session, err = s.NewSession(t.Context(), bellcord.Session{Dir: first.Dir}); err != nil {
			t.Fatal(err)
		}
		turn := s.prompt(bellcord.Prompt{Task: bellcord.TaskImport, Text: forked.SessionID})
		if r := s.end(turn); r.End != bellcord.EndDone || of[bellcord.MessageImported](s.bodies(turn.ID))[0].Text != "remember the heron" || textOf(s.bodies(turn.ID)) == "" {
			t.Fatalf("%s %s: %s", r.End, r.Error, s.kinds(turn.ID))
		}
		s.done("what was it")
		if raw := s.lastRequest(); !strings.Contains(raw, "heron") || strings.Contains(raw, "stork") {
			t.Errorf("%s", raw)
		}
	})
}

func TestRealPi_Steering_ReachesTheModelInTheSameTurn(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		if s.flavour == "old" {
			t.Skip("0.74.2 has no clear_queue: steering is not offered")
		}
		turn := s.prompt(bellcord.Prompt{Text: "[slow 30 10ms]"})
		s.await(turn, kind[bellcord.TextDelta])
		if reply, err := s.ask(acp.UnstableSteering, steeringParams("[say steered]")); err != nil || reply != `{"outcome":"injected"}` {
			t.Errorf("%s, %v", reply, err)
		}
		if r := s.end(turn); r.End != bellcord.EndDone || !strings.HasSuffix(textOf(s.bodies(turn.ID)), "steered") {
			t.Errorf("%s %q", r.End, textOf(s.bodies(turn.ID)))
		}
		before := len(s.model.Requests())
		s.done("[say next]")
		if n := len(s.model.Requests()); n != before+1 {
			t.Errorf("%d requests after %d", n, before)
		}
	})
}

func TestLaw02_RealPiStoppedWithSettingsAndSteeringInParallel_LosesNoStop(t *testing.T) {
	t.Parallel()
	eachPi(t, func(t *testing.T, s *real) {
		s.openSettings(&viewer{})
		s.done("warm")
		ctx, done := context.WithCancel(t.Context())
		var busy sync.WaitGroup
		busy.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if _, err := s.ask(acp.MethodSetConfigOption, acp.SetSessionConfigOptionRequest{ConfigID: "model", Value: []string{"fake/one", "fake/two"}[i%2]}); err != nil {
					t.Errorf("request %d: %v", i, err)
					return
				}
				if s.flavour == "new" {
					if _, err := s.ask(acp.UnstableSteering, steeringParams("[say steered]")); err != nil {
						t.Errorf("steering %d: %v", i, err)
						return
					}
				}
			}
		})
		for i := range *breaths {
			turn := s.prompt(bellcord.Prompt{Text: fmt.Sprintf("[slow 1000 20ms] %d", i)})
			if i%2 == 1 {
				s.await(turn, kind[bellcord.TextDelta])
			}
			s.stop(turn)
		}
		done()
		busy.Wait()
		s.left()
		before := len(s.model.Requests())
		s.done("[say again]")
		if n := len(s.model.Requests()); n != before+1 || len(s.hosted()) != 1 {
			t.Errorf("%d requests after %d; %v", n, before, s.hosted())
		}
	})
}
