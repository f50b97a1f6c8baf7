package react_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

var long = strings.Repeat("word ", 300) // 375 tokens of a window of 1000

func TestCompact_FullWindow_SummarizesAndKeepsLastPromptVerbatim(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{{text: long}, {text: long}, {text: "THE SUMMARY"}, {text: "fine"}}}
	onStage(t, m, "full", none, func(t *testing.T, s *stage) {
		s.agent.System, s.agent.CompactAt = strings.Repeat("word ", 120), 0.8 // of 1000 tokens
		s.run("first")
		s.run("second")
		if r := s.run("third"); r.End != bellcord.EndDone || r.Usage.InputTokens != 20 || !r.Usage.Exact {
			t.Errorf("%+v", r)
		}
		if len(m.requests) != 4 {
			t.Fatalf("asked %d times", len(m.requests))
		}
		sent := m.requests[2].Messages
		if last := sent[len(sent)-1]; !strings.Contains(last.Text, "Write a summary") || len(m.requests[2].Tools) != len(m.requests[0].Tools) {
			t.Errorf("asked for a summary with %+v", last)
		}
		next := m.requests[3].Messages
		if len(next) != 2 || !strings.Contains(next[0].Text, "THE SUMMARY") || next[1].Text != "third" {
			t.Errorf("told %+v", next)
		}
	})
}

func TestCompact_OneTurnFillsWindow_KeepsItsPrompt(t *testing.T) {
	t.Parallel()
	calls := []llm.Call{use("look")}
	m := &model{script: []answer{{calls: calls}, {calls: calls}, {text: "THE SUMMARY"}, {text: "fine"}}}
	tools := func(*stage) []tool.Tool { return []tool.Tool{made("look", resultOf(long))} }
	onStage(t, m, "full", tools, func(t *testing.T, s *stage) {
		s.agent.System, s.agent.CompactAt = strings.Repeat("word ", 120), 0.19 // the model's own counts, which are far lower than our estimates, take precedence
		if r := s.run("look around"); r.End != bellcord.EndDone {
			t.Fatalf("%+v", r)
		}
		sent := m.requests[len(m.requests)-1].Messages
		if !strings.Contains(sent[0].Text, "THE SUMMARY") || !strings.HasSuffix(sent[0].Text, "word for word]\nlook around") {
			t.Errorf("told %+v", sent)
		}
	})
}

func TestStep_ModelRejectsAsTooLong_CompactsAndRetriesOnce(t *testing.T) {
	t.Parallel()
	tooLong := &llm.Failure{Reason: llm.TooLong, Status: 400, Err: errors.New("prompt is too long")}
	m := &model{script: []answer{{text: "one"}, {text: "two"}, {fails: tooLong}, {text: "THE SUMMARY"}, {text: "fine"}, {fails: tooLong}, {text: "SUM"}, {fails: tooLong}}}
	onStage(t, m, "full", none, func(t *testing.T, s *stage) {
		s.run(long)
		s.run(long)
		if r := s.run("and now?"); r.End != bellcord.EndDone || !r.Usage.Exact || r.Kept.TextBytes != 4 {
			t.Errorf("%+v", r)
		}
		if r := s.run(long); r.End != bellcord.EndFailed || !strings.Contains(r.Error, "too long") {
			t.Errorf("a second time in a turn: %+v", r)
		}
	})
}

func TestCompact_ManualWithFocus_SummarizesEverything(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{{text: "one"}, {text: "THE SUMMARY"}, {text: "fine"}, {}}}
	onStage(t, m, "full", none, func(t *testing.T, s *stage) {
		s.run("hello")
		compact := func(focus string) bellcord.Receipt {
			turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Task: bellcord.TaskCompact, Text: focus})
			if err != nil {
				t.Fatal(err)
			}
			<-turn.Settled()
			return turn.Receipt()
		}
		if r := compact("the names"); r.End != bellcord.EndDone || r.Kept.TextBytes != 0 || r.Usage.InputTokens != 10 {
			t.Errorf("%+v", r)
		}
		if sent := m.requests[1].Messages; !strings.HasSuffix(sent[len(sent)-1].Text, "Pay special attention to: the names") {
			t.Errorf("asked %+v", sent)
		}
		s.run("and now?")
		sent := m.requests[2].Messages
		if len(sent) != 2 || !strings.Contains(sent[0].Text, "THE SUMMARY") || strings.Contains(sent[0].Text, "the names") || sent[1].Text != "and now?" {
			t.Errorf("told %+v", sent)
		}
		if r := compact(""); r.End != bellcord.EndFailed || !strings.Contains(r.Error, "no summary") {
			t.Errorf("%+v", r)
		}
	})
	onStage(t, &model{}, "full", none, func(t *testing.T, s *stage) {
		turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Task: bellcord.TaskCompact})
		if err != nil {
			t.Fatal(err)
		}
		<-turn.Settled()
		if r := turn.Receipt(); r.End != bellcord.EndFailed || !strings.Contains(r.Error, "nothing to compact") {
			t.Errorf("%+v", r)
		}
	})
}
