package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

// lasts returns a tool that takes the given number of seconds.
func lasts(name string, seconds int, safe bool) tool.Tool {
	of := made(name, func(context.Context, tool.Call) tool.Result {
		<-time.After(time.Duration(seconds) * time.Second)
		return tool.Result{Text: name + " is done", Fate: bellcord.CallFinished}
	})
	of.Safe = safe
	return of
}

func TestAct_SafeCalls_RunInParallelAndOthersInOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		calls []string
		takes int
	}{
		{"safe ones take as long as the longest", []string{"safe3", "safe1", "safe2"}, 3},
		{"unsafe ones take their turn", []string{"unsafe1", "unsafe2", "unsafe1b"}, 4},
		{"an unsafe one waits for those before it and holds up those behind", []string{"safe2", "safe3", "unsafe1", "safe1", "safe2b"}, 6},
		{"an unknown one holds up nobody for long", []string{"safe2", "nosuch", "safe2b"}, 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var calls []llm.Call
			for _, name := range test.calls {
				calls = append(calls, use(name))
			}
			tools := func(*stage) []tool.Tool {
				return []tool.Tool{
					lasts("safe1", 1, true), lasts("safe2", 2, true), lasts("safe2b", 2, true), lasts("safe3", 3, true),
					lasts("unsafe1", 1, false), lasts("unsafe1b", 1, false), lasts("unsafe2", 2, false),
				}
			}
			onStage(t, &model{script: []answer{{calls: calls}}}, "full", tools, func(t *testing.T, s *stage) {
				began := time.Now()
				if r := s.run("go"); r.End != bellcord.EndDone {
					t.Fatalf("ended %s: %s", r.End, r.Error)
				}
				if took := time.Since(began); took != time.Duration(test.takes)*time.Second {
					t.Errorf("took %v, want %d s", took, test.takes)
				}
				var answered []string // in the order of the model's calls, whichever finished first
				for _, m := range s.model.requests[1].Messages[2:] {
					answered = append(answered, m.Call)
				}
				if got := strings.Join(answered, " "); got != strings.Join(test.calls, " ") {
					t.Errorf("answered %s", got)
				}
			})
		})
	}
}

func TestCall_InvalidCall_ReportsReasonToModel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		call llm.Call
		want string
	}{
		{"a tool that does not exist", llm.Call{ID: "c", Name: "nosuch", Args: `{}`}, `[not started: unknown tool "nosuch"; the tools are picky]`},
		{"arguments that are cut off", llm.Call{ID: "c", Name: "picky", Args: `{"path":"x`}, `[not started: the arguments are not a complete JSON object (unexpected EOF): "{\"path\":\"x"]`},
		{"no arguments", llm.Call{ID: "c", Name: "picky"}, `[not started: the arguments are not a complete JSON object (EOF): ""]`},
		{"arguments that are no object", llm.Call{ID: "c", Name: "picky", Args: `null`}, `[not started: the arguments are not a complete JSON object (not exactly one object): "null"]`},
		{"two objects", llm.Call{ID: "c", Name: "picky", Args: `{}{}`}, `[not started: the arguments are not a complete JSON object (not exactly one object): "{}{}"]`},
		{"arguments that the tool refuses", llm.Call{ID: "c", Name: "picky", Args: `{"path":""}`}, `[not started: path is missing]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tools := func(s *stage) []tool.Tool {
				picky := made("picky", func(context.Context, tool.Call) tool.Result {
					s.t.Error("it was carried out")
					return tool.Result{}
				})
				picky.Check = func(json.RawMessage) error { return errors.New("path is missing") }
				return []tool.Tool{picky}
			}
			onStage(t, &model{script: []answer{{calls: []llm.Call{test.call}}}}, "full", tools, func(t *testing.T, s *stage) {
				if r := s.run("go"); r.End != bellcord.EndDone || len(r.Calls.NotStarted) != 1 || r.Calls.Finished != 0 {
					t.Errorf("ended %s with %+v", r.End, r.Calls)
				}
				if got := s.resultSent("c"); got != test.want {
					t.Errorf("told %s, want %s", got, test.want)
				}
			})
		})
	}
}

func TestPermit_RejectedWithAReason_ModelGetsTheReason(t *testing.T) {
	t.Parallel()
	tools := func(*stage) []tool.Tool {
		risky := made("risky", resultOf("boom"))
		risky.Question = func(json.RawMessage) string { return "May I?" }
		return []tool.Tool{risky}
	}
	onStage(t, &model{script: []answer{{calls: []llm.Call{use("risky")}}}}, "ask", tools, func(t *testing.T, s *stage) {
		turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Text: "go"})
		if err != nil {
			t.Fatal(err)
		}
		answerAll(t, s, turn, map[string]bellcord.Reply{"risky": {Choice: "reject", Reason: "use the copy instead"}})
		if got := s.resultSent("risky"); got != "[not started: the user refused it: use the copy instead]" {
			t.Errorf("told %q", got)
		}
	})
}

func TestPermit_RejectedCall_TurnContinues(t *testing.T) {
	t.Parallel()
	for mode, questions := range map[string]int{"ask": 2, "full": 0} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			tools := func(*stage) []tool.Tool {
				risky, other := made("risky", resultOf("boom")), made("other", resultOf("fine"))
				question := func(json.RawMessage) string { return "May I?" }
				risky.Question, other.Question = question, question
				return []tool.Tool{risky, other}
			}
			script := []answer{{calls: []llm.Call{use("risky"), use("other")}}}
			onStage(t, &model{script: script}, mode, tools, func(t *testing.T, s *stage) {
				turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Text: "go"})
				if err != nil {
					t.Fatal(err)
				}
				if n := answerAll(t, s, turn, map[string]bellcord.Reply{"risky": {Choice: "reject"}, "other": {Choice: "allow"}}); n != questions {
					t.Errorf("asked %d times", n)
				}
				want := "boom"
				if mode == "ask" {
					want = "[not started: the user refused it]"
				}
				if r := turn.Receipt(); r.End != bellcord.EndDone || s.resultSent("risky") != want || s.resultSent("other") != "fine" {
					t.Errorf("ended %s; told %q and %q", r.End, s.resultSent("risky"), s.resultSent("other"))
				}
			})
		})
	}
}

// answerAll answers the turn's questions until the turn ends, and returns how
// many there were.
func answerAll(t *testing.T, s *stage, turn *hub.Turn, replies map[string]bellcord.Reply) (questions int) {
	t.Helper()
	cursor, err := s.Events(t.Context(), s.session.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			switch b := ev.Body.(type) {
			case bellcord.QuestionOpened:
				questions++
				if err := s.Answer(turn.ID, b.Question.ID, replies[b.Question.Call], "anna"); err != nil {
					t.Error(err)
				}
			case bellcord.TurnEnded:
				<-turn.Settled()
				return questions
			}
		}
	}
}

func TestLaw26_CallStart_IsDurableBeforeToolRuns(t *testing.T) {
	t.Parallel()
	ran := 0
	tools := func(s *stage) []tool.Tool {
		return []tool.Tool{made("look", func(_ context.Context, c tool.Call) tool.Result {
			ran++
			c.Output("piece\n")
			var kinds []string
			for _, ev := range s.log() {
				kinds = append(kinds, ev.Body.Kind())
			}
			return tool.Result{Text: fmt.Sprint(kinds), Fate: bellcord.CallFinished}
		})}
	}
	onStage(t, &model{script: []answer{{text: "let me", calls: []llm.Call{use("look")}}}}, "full", tools, func(t *testing.T, s *stage) {
		r := s.run("go")
		if got := s.resultSent("look"); !strings.Contains(got, "step_started text_delta tool_call_requested step_ended tool_call_started") || ran != 1 || r.Kept.FinishedCalls != 1 {
			t.Errorf("ran %d times; on record when it ran: %s", ran, got)
		}
	})
}

// A stop of one call ends that call. The model gets its result and continues.
func TestAct_OneCallIsStopped_TurnContinues(t *testing.T) {
	t.Parallel()
	waits := made("waits", func(ctx context.Context, _ tool.Call) tool.Result {
		<-ctx.Done()
		return tool.Result{Text: "stopped: " + context.Cause(ctx).Error(), Fate: bellcord.CallStopped}
	})
	tools := func(*stage) []tool.Tool { return []tool.Tool{waits, lasts("unsafe1", 1, false)} }
	script := []answer{{calls: []llm.Call{use("waits"), use("unsafe1")}}, {text: "done"}}
	onStage(t, &model{script: script}, "full", tools, func(t *testing.T, s *stage) {
		turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Text: "go"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := s.Stop(bellcord.StopRequest{Turn: turn.ID, Call: "waits", Cause: bellcord.Cause{By: "anna"}}).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-turn.Settled()
		if r := turn.Receipt(); r.End != bellcord.EndDone || len(r.Calls.Stopped) != 1 || r.Calls.Finished != 1 {
			t.Errorf("receipt %+v", r)
		}
		if got := s.resultSent("waits"); got != "stopped: stopped: person anna" {
			t.Errorf("the model got %q", got)
		}
	})
}
