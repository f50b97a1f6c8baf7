package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

const whereForm = `{"mode":"form","message":"Where?","requestedSchema":{"type":"object","properties":{` +
	`"env":{"type":"string","enum":["dev","prod"]},"count":{"type":"integer"}},"required":["env"]}}`

func TestElicitation_Form_ReachesTheUserAndItsValuesTheAgent(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	for _, c := range []struct {
		reply bellcord.Reply
		want  string
	}{
		{bellcord.Reply{Choice: "accept", Values: map[string]json.RawMessage{"env": json.RawMessage(`"dev"`), "count": json.RawMessage(`3`)}}, `{"action":"accept","content":{"count":3,"env":"dev"}}`},
		{bellcord.Reply{Choice: "decline"}, `{"action":"decline"}`},
		{bellcord.Reply{Choice: "cancel"}, `{"action":"cancel"}`},
	} {
		s.session = s.newSession("ask")
		turn := s.prompt(bellcord.Prompt{Text: "elicit " + whereForm})
		q := s.until(isQuestion).(bellcord.QuestionOpened).Question
		if q.Text != "Where?" || len(q.Fields) != 2 || q.Fields[0].Name != "env" || !q.Fields[0].Required {
			t.Errorf("question %+v", q)
		}
		if err := s.Answer(turn.ID, q.ID, c.reply, "anna"); err != nil {
			t.Fatal(err)
		}
		if r := s.settled(turn); r.End != bellcord.EndDone || s.textOf(turn.ID) != c.want {
			t.Errorf("%s (%s), the agent received %s, want %s", r.End, r.Error, s.textOf(turn.ID), c.want)
		}
	}
}

func TestElicitation_InvalidOrSecret_IsRefusedWithoutAQuestion(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	for params, want := range map[string]string{
		`{"mode":"form","message":"?","requestedSchema":{"properties":{"api_key":{"type":"string"}}}}`: `secrets are only requested by URL: the field \"api_key\"`,
		`{"mode":"form","message":"?","requestedSchema":{"properties":{}}}`:                            "the form has no fields",
		`{"mode":"form","message":"?"}`:                                             "schema is invalid",
		`{"mode":"url","message":"?","elicitationId":"e1","url":"file:///x?key=v"}`: "not an http or https URL",
		`{"mode":"url","message":"?","elicitationId":"e1"}`:                         "has no URL",
		`{"mode":"voice","message":"?"}`:                                            "unknown elicitation mode",
	} {
		answer, r := s.run("elicit " + params)
		if r.End != bellcord.EndDone || !strings.Contains(answer, "-32602") || !strings.Contains(answer, want) || strings.Contains(answer, "key=v") {
			t.Errorf("%s: %s, the agent received %s, want %s", params, r.End, answer, want)
		}
	}
}

func TestElicitation_URLCompletedByTheAgent_ClosesTheQuestion(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	turn := s.prompt(bellcord.Prompt{Text: `complete {"mode":"url","message":"Log in","elicitationId":"e1","url":"https://login.example/?c=1"}`})
	q := s.until(isQuestion).(bellcord.QuestionOpened).Question
	if q.URL != "https://login.example/?c=1" || q.Text != "Log in" {
		t.Errorf("question %+v", q)
	}
	if r := s.settled(turn); r.End != bellcord.EndDone || s.textOf(turn.ID) != `{"action":"accept"}` {
		t.Errorf("%s (%s), the agent received %s", r.End, r.Error, s.textOf(turn.ID))
	}
}

func TestElicitation_WithdrawnByTheAgent_ClosesTheQuestion(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	turn := s.prompt(bellcord.Prompt{Text: "unelicit " + whereForm})
	if r := s.settled(turn); r.End != bellcord.EndDone || !strings.Contains(s.textOf(turn.ID), "-32800") || len(r.WithdrawnQuestions) != 0 {
		t.Errorf("%s (%s), the agent received %s; withdrawn %v", r.End, r.Error, s.textOf(turn.ID), r.WithdrawnQuestions)
	}
	closed := false
	for _, b := range s.events(turn.ID) {
		if b, is := b.(bellcord.QuestionAnswered); is && b.Choice == bellcord.ChoiceWithdrawn {
			closed = true
		}
	}
	if !closed {
		t.Error("the question is still open in the log")
	}
}

func TestLaw30_StopDuringForm_CancelIsSentBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	s := onStage(t, "waits")
	turn := s.prompt(bellcord.Prompt{Text: "stream form"})
	q := s.until(isQuestion).(bellcord.QuestionOpened).Question
	r, took := s.stop(turn)
	if r.End != bellcord.EndStopped || r.AgentAbandoned || len(r.Processes.Ended) > 0 || len(r.WithdrawnQuestions) != 1 {
		t.Fatalf("%s (%s) after %s, abandoned %v, processes %+v, questions %v", r.End, r.Error, took, r.AgentAbandoned, r.Processes, r.WithdrawnQuestions)
	}
	if err := s.Answer(turn.ID, q.ID, bellcord.Reply{Choice: "decline"}, "late"); err == nil {
		t.Error("a late answer was taken")
	}
	text := strings.Join(s.received(), "\n")
	cancel, answer := strings.Index(text, "session/cancel"), strings.Index(text, `{"action":"cancel"}`)
	if cancel < 0 || answer < cancel {
		t.Errorf("the agent was sent %s", text)
	}
	if answer, r := s.run("say on"); r.End != bellcord.EndDone || answer != "on" || count(s.received(), "initialize") != 1 {
		t.Errorf("%s (%s), said %q", r.End, r.Error, answer)
	}
}
