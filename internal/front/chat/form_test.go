package chat_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chat"
)

var whereForm = bellcord.Question{ID: "q", Text: "Where?", Choices: bellcord.FormChoices(), Fields: []bellcord.Field{
	{Name: "env", Title: "Environment", Type: bellcord.FieldString, Required: true, Options: []bellcord.Option{{Value: "dev"}, {Value: "prod"}}},
	{Name: "count", Type: bellcord.FieldInteger, Default: json.RawMessage(`3`)},
}}

// withForm opens a form and starts to fill it in.
func withForm(t *testing.T) *stage {
	t.Helper()
	s := newStage(t).runs("go").happens(bellcord.QuestionOpened{Question: whereForm}).read().after(time.Second)
	s.has("Where?", "- Environment: one of dev, prod", "y fill in · n decline")
	s.m.Press("y", "y", s.now)
	s.has("› y fill in · enter confirms")
	expectActions(t, s.press("enter"))
	return s
}

func TestPress_FormFilledIn_SendsItsValues(t *testing.T) {
	t.Parallel()
	s := withForm(t)
	s.has("1/2 Environment: one of dev, prod")
	s.shows("form", 80, 16)
	expectActions(t, s.enters("test"))
	s.has(`field "env": expected one of dev, prod`, "› test")
	s.press("ctrl+u")
	expectActions(t, s.enters("prod"))
	s.has("2/2 count: a whole number (enter: 3)")
	expectActions(t, s.press("up"))
	s.has("1/2 Environment")
	expectActions(t, s.enters("dev"))
	want := map[string]json.RawMessage{"env": json.RawMessage(`"dev"`), "count": json.RawMessage(`7`)}
	expectActions(t, s.enters("7"), chat.Answer{Turn: "t1", Question: "q", Reply: bellcord.Reply{Choice: "accept", Values: want}})
	s.happens(bellcord.QuestionAnswered{Question: "q", Choice: "accept", Values: want, By: "anna"})
	s.has("answered: accept (anna)")
	s.hasNot("2/2 count")
}

func TestPress_FormOrPageDeclinedOrAccepted_SendsTheChoice(t *testing.T) {
	t.Parallel()
	page := bellcord.Question{ID: "q", Text: "Log in", URL: "https://login.example/?c=1", Choices: bellcord.FormChoices()}
	for _, c := range []struct {
		question              bellcord.Question
		letter, shows, choice string
	}{
		{whereForm, "n", "n decline", "decline"},
		{page, "n", "https://login.example/?c=1", "decline"},
		{page, "y", "y continue · n decline", "accept"},
	} {
		s := newStage(t).runs("go").happens(bellcord.QuestionOpened{Question: c.question}).read().after(time.Second)
		s.has(c.shows)
		s.m.Press(c.letter, c.letter, s.now)
		expectActions(t, s.press("enter"), chat.Answer{Turn: "t1", Question: "q", Reply: bellcord.Reply{Choice: c.choice}})
	}
}

func TestPress_StopWhileFillingIn_ClosesTheForm(t *testing.T) {
	t.Parallel()
	s := withForm(t)
	expectActions(t, s.press("esc"), stopT1)
	s.hasNot("1/2 Environment")
	expectActions(t, withForm(t).enters("/stop"), chat.Stop{Turn: "t1", Session: "", Mode: bellcord.StopNow})
}

func TestTake_FormWithdrawnByItsAgent_ClosesTheForm(t *testing.T) {
	t.Parallel()
	s := withForm(t)
	s.happens(bellcord.QuestionAnswered{Question: "q", Choice: bellcord.ChoiceWithdrawn})
	s.hasNot("1/2 Environment")
	s.has("answered: withdrawn")
}
