package pi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

func TestTurn_AnswerWithTool_EmitsOrderedEventsAndExactUsage(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "quick tool"})
		r := s.end(turn)
		want := "turn_accepted turn_started agent_session_opened step_started tool_call_requested step_ended tool_call_started tool_output_delta tool_call_ended step_started text_delta step_ended turn_ended"
		if got := strings.ReplaceAll(s.kinds(turn.ID), "usage_reported ", ""); got != want { // pi's stats arrive at any time
			t.Errorf("%s\nwant %s", got, want)
		}
		bodies := s.bodies(turn.ID)
		if out := of[bellcord.ToolOutputDelta](bodies); len(out) != 1 || out[0].Text != "one\ntwo\nthree\n" {
			t.Errorf("outputs %+v", out)
		}
		if want := (bellcord.Usage{InputTokens: 200, CacheReadTokens: 40, CacheWriteTokens: 10, OutputTokens: 20, CostNanoUSD: 2_500_000, Exact: true}); r.Usage != want || r.Calls.Finished != 1 {
			t.Errorf("%+v, want %+v; %+v", r.Usage, want, r.Calls)
		}
		if steps := of[bellcord.StepStarted](bodies); steps[0].Model != "fake/one" || steps[1].EstimatedInput < 100 {
			t.Errorf("%+v", steps)
		}
	})
}

// An editor shows the output of a call. Most of pi's tools report only a result.
func TestTurn_ToolReportsOnlyItsResult_ResultIsItsOutput(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "quick silent tool"})
		s.end(turn)
		bodies := s.bodies(turn.ID)
		if out := of[bellcord.ToolOutputDelta](bodies); len(out) != 1 || out[0].Text != "one\ntwo\nthree\n" {
			t.Errorf("outputs %+v", out)
		}
		if calls := of[bellcord.ToolCallRequested](bodies); len(calls) != 1 || calls[0].ToolKind != "execute" {
			t.Errorf("calls %+v", calls)
		}
	})
}

func TestLaw02_StopBeforePiAccepts_IsSentAfterAcceptance(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		s.done("warm")
		for range 3 {
			turn := s.prompt(bellcord.Prompt{Text: "hesitant slow"})
			s.await(turn, kind[bellcord.TurnStarted])
			<-time.After(50 * time.Millisecond) // pi has received the prompt and has not accepted it
			s.stop(turn)
		}
		s.done("still the same")
		if len(s.hosted()) != 1 {
			t.Errorf("pi was started again: %v", s.hosted())
		}
	})
}

func TestLaw02_StopRightAfterPrompt_IsNotLost(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(_ *testing.T, s *stage) {
		s.done("warm")
		for range 20 {
			s.stop(s.prompt(bellcord.Prompt{Text: "slow"}))
		}
		s.done("again")
	})
}

func TestLaw23_StopDuringText_KeepsTextSoFar(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "slow"})
		s.await(turn, kind[bellcord.TextDelta])
		r := s.stop(turn)
		if text := textOf(s.bodies(turn.ID)); !strings.HasPrefix(text, "w0 ") || strings.Contains(text, "tail") {
			t.Errorf("%q: what pi says after the stop belongs to nobody", text)
		}
		if r.Usage.Exact || r.Usage.InputTokens == 0 {
			t.Errorf("an estimate was expected: %+v", r.Usage)
		}
		if text := s.done("next"); !strings.Contains(text, "Your answer so far: «w0 ") {
			t.Errorf("%q", text)
		}
	})
}

func TestLaw10_AgentContinuesAfterStop_RecordsNothing(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "talks on"})
		s.await(turn, kind[bellcord.TextDelta])
		r := s.stop(turn)
		if took := r.Times.Settled.Sub(r.Times.StopRequested); took < 2*time.Second {
			t.Fatalf("the agent gave its word after %s: it did not talk on", took)
		}
		late := s.after(turn.ID, bellcord.StopRequested{}.Kind())
		for _, b := range late {
			switch b.(type) {
			case bellcord.TextDelta, bellcord.ThinkingDelta, bellcord.ToolCallRequested, bellcord.ToolCallStarted, bellcord.ToolOutputDelta, bellcord.ToolCallEnded:
				t.Errorf("recorded after the stop: %s %+v", b.Kind(), b)
			}
		}
		if text := textOf(s.bodies(turn.ID)); int64(len(text)) != r.Kept.TextBytes || !strings.HasPrefix(text, "w0 ") {
			t.Errorf("the record has %q, the receipt %d bytes", text, r.Kept.TextBytes)
		}
		s.done("next")
	})
}

func TestLaw15_StopDuringTool_EndsItsProcessesAndKeepsPi(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		token := fmt.Sprintf("98763.%d", time.Now().UnixNano())
		turn := s.prompt(bellcord.Prompt{Text: "tool detached " + token})
		s.await(turn, kind[bellcord.ToolOutputDelta])
		r := s.stop(turn)
		if found := living(t, token); len(found) > 0 || len(r.Processes.Ended) != 1 {
			t.Errorf("%q; %+v", found, r.Processes)
		}
		if len(r.Calls.Stopped) != 1 || r.Error != "" {
			t.Errorf("%+v %q", r.Calls, r.Error)
		}
		s.done("next")
		if len(s.hosted()) != 1 {
			t.Errorf("pi was started again: %v", s.hosted())
		}
	})
}

func TestLaw11_StopDuringRetryPause_IsNotAFailure(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "retry"})
		s.await(turn, kind[bellcord.ModelRetryScheduled])
		s.stop(turn)
		s.done("next")
		if len(s.hosted()) != 1 {
			t.Errorf("pi was started again: %v", s.hosted())
		}
	})
}

func TestTurn_RetrySucceeds_IsOneTurn(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		if text := s.done("retry and succeed"); text != "here at last" {
			t.Errorf("%q", text)
		}
	})
}

func TestTurn_PiFails_ReturnsPisError(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		if r := s.run("fail"); r.End != bellcord.EndFailed || r.Error != "400 bad request" {
			t.Errorf("%s %q", r.End, r.Error)
		}
		if r := s.run("rejected"); r.End != bellcord.EndFailed || !strings.Contains(r.Error, "No model selected") {
			t.Errorf("%s %q", r.End, r.Error)
		}
		s.done("next")
	})
}

func TestTurn_ExtensionHandlesPrompt_IsDone(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(_ *testing.T, s *stage) { s.done("handled") })
}

func TestTurn_PromptWithSlash_IsACommandOfPiOrText(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		for prompt, want := range map[string]string{"/hello world": "you said: TEMPLATE world", "/etc/hosts": "you said: /etc/hosts"} {
			if text := s.done(prompt); text != want {
				t.Errorf("%q: %q", prompt, text)
			}
		}
	})
}

func TestLaw07_RepeatedStop_HasNoFurtherEffect(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(_ *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "slow"})
		s.await(turn, kind[bellcord.TextDelta])
		s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson}))
		s.stop(turn)
		s.stop(turn) // a stop after the end
		s.done("next")
	})
}

func TestLaw08_StopAfterTurnEnded_AffectsNoTurn(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "hello"})
		if r := s.end(turn); r.End != bellcord.EndDone {
			t.Fatalf("it ended %s", r.End)
		}
		answers, err := s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson})).Wait(t.Context())
		if err != nil || len(answers) != 1 || answers[0].State != bellcord.StopStateAlreadyEnded {
			t.Errorf("the late stop is told %+v, %v", answers, err)
		}
		if text := s.done("next"); text == "" {
			t.Error("the next turn says nothing")
		}
		if n := len(s.hosted()); n != 1 {
			t.Errorf("pi was started %d times", n)
		}
	})
}

func TestLaw30_StopDuringDialog_WithdrawsItsQuestion(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"dialog with signal", "dialog", "two dialogs"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			eachFlavour(t, func(t *testing.T, s *stage) {
				turn := s.prompt(bellcord.Prompt{Text: text})
				q := s.await(turn, kind[bellcord.QuestionOpened]).(bellcord.QuestionOpened).Question
				if len(q.Choices) != 2 || q.Choices[1].Kind != "reject_once" || q.Text != "Allow bash: make" {
					t.Errorf("%+v", q)
				}
				if r := s.stop(turn); len(r.WithdrawnQuestions) != 1 {
					t.Errorf("%+v", r.WithdrawnQuestions)
				}
				turn = s.prompt(bellcord.Prompt{Text: "dialog"})
				q = s.await(turn, kind[bellcord.QuestionOpened]).(bellcord.QuestionOpened).Question
				if err := s.Answer(turn.ID, q.ID, bellcord.Reply{Choice: "0"}, "test"); err != nil {
					t.Error(err)
				}
				if r := s.end(turn); r.End != bellcord.EndDone || textOf(s.bodies(turn.ID)) != "[Allow]" {
					t.Errorf("%s %q", r.End, textOf(s.bodies(turn.ID)))
				}
			})
		})
	}
}

func TestDialog_ForText_IsAForm(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "text wanted"})
		asks := func(title string) func(bellcord.Body) bool {
			return func(b bellcord.Body) bool {
				q, is := b.(bellcord.QuestionOpened)
				return is && q.Question.Text == title
			}
		}
		name := s.await(turn, asks("Your name")).(bellcord.QuestionOpened).Question
		if want := (bellcord.Field{Name: "text", Type: bellcord.FieldString, Title: "Your name", Description: "first and last"}); len(name.Fields) != 1 || !reflect.DeepEqual(name.Fields[0], want) {
			t.Errorf("%+v", name)
		}
		if err := s.Answer(turn.ID, name.ID, bellcord.Reply{Choice: bellcord.ChoiceAccept, Values: map[string]json.RawMessage{"text": json.RawMessage(`"Ada"`)}}, "test"); err != nil {
			t.Fatal(err)
		}
		text := s.await(turn, asks("Your text")).(bellcord.QuestionOpened).Question
		if len(text.Fields) != 1 || string(text.Fields[0].Default) != `"Dear"` {
			t.Errorf("%+v", text)
		}
		if err := s.Answer(turn.ID, text.ID, bellcord.Reply{Choice: bellcord.ChoiceDecline}, "test"); err != nil {
			t.Fatal(err)
		}
		s.end(turn)
		if got := textOf(s.bodies(turn.ID)); got != "Ada <nil>, <nil> true" {
			t.Errorf("pi received %q", got)
		}
	})
}

func TestDialog_ForASecret_IsCancelledWithANote(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "secret wanted"})
		s.end(turn)
		notes := of[bellcord.ThinkingDelta](s.bodies(turn.ID))
		if got := textOf(s.bodies(turn.ID)); got != "<nil> true" || len(notes) != 1 || !strings.Contains(notes[0].Text, "Your password") {
			t.Errorf("pi received %q; %+v", got, notes)
		}
	})
}

func TestLaw19_StopWithQueuedMessages_DoesNotRunThemLater(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "tool with a queue"})
		s.await(turn, kind[bellcord.ToolOutputDelta])
		s.stop(turn)
		if text := s.done("history"); !strings.Contains(text, "tool with a queue") || len(s.hosted()) != 1 {
			t.Errorf("%q in %v", text, s.hosted())
		}
	})
}

func TestStop_PiStaysBusyAfterAbort_AbortIsRepeated(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(_ *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "stubborn tool"})
		s.await(turn, kind[bellcord.ToolOutputDelta])
		s.stop(turn)
		s.done("next")
	})
}

func TestLaw12_PiIgnoresStop_IsEndedAndSessionResumes(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "deaf"})
		s.await(turn, kind[bellcord.TextDelta])
		if r := s.stop(turn); len(r.Processes.Ended) != 1 {
			t.Errorf("%+v", r.Processes)
		}
		if text := s.done("history"); !strings.HasPrefix(text, "deaf|") || len(s.hosted()) != 1 {
			t.Errorf("%q in %v", text, s.hosted())
		}
	})
}

func TestForcedStop_UnresponsivePi_DoesNotWait(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "deaf"})
		s.await(turn, kind[bellcord.TextDelta])
		s.Stop(bellcord.StopRequest{Turn: turn.ID, Mode: bellcord.StopForce, Cause: bellcord.Cause{Kind: bellcord.CausePerson}})
		r := s.end(turn)
		if r.End != bellcord.EndStopped || *timing && (r.AgentAbandoned || r.Times.Settled.Sub(r.Times.StopRequested) > 2*time.Second) {
			t.Errorf("%+v", r)
		}
	})
}

func TestTurn_PiCrashes_FailsWithExitCodeAndStderr(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		turn := s.prompt(bellcord.Prompt{Text: "crash"})
		r := s.end(turn)
		if r.End != bellcord.EndFailed || !strings.Contains(r.Error, "exit code 7") || !strings.Contains(r.Error, "something broke badly") {
			t.Errorf("%s %q", r.End, r.Error)
		}
		if text := textOf(s.bodies(turn.ID)); text != "last words" {
			t.Errorf("%q", text)
		}
		if text := s.done("history"); !strings.HasPrefix(text, "crash|") {
			t.Errorf("%q", text)
		}
	})
}

func TestTurn_InvalidAndHugeLines_AreHandled(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		if text := s.done("odd lines"); text != "one\u2028two\u2029three" {
			t.Errorf("%q", text)
		}
		if text := s.done("huge"); len(text) != 1<<20 {
			t.Errorf("%d bytes", len(text))
		}
		turn := s.prompt(bellcord.Prompt{Text: "images", Images: []bellcord.Image{{Type: "image/png", Data: []byte("pixels")}}})
		s.end(turn)
		if text := textOf(s.bodies(turn.ID)); text != "[map[data:cGl4ZWxz mimeType:image/png type:image]]" {
			t.Errorf("%q", text)
		}
	})
}

func TestOpen_SessionFileIsGone_OpensNewSession(t *testing.T) {
	t.Parallel()
	eachFlavour(t, func(t *testing.T, s *stage) {
		s.done("one")
		if err := os.Remove(s.hosted()[0]); err != nil {
			t.Fatal(err)
		}
		s.agent.End(s.session.ID)
		s.done("two")
	})
}
