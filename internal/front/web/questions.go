package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// questions has the operations for the questions of turns.
type questions struct {
	views
	hub prompter
}

func (q *questions) register(o *operations) {
	add(o, route("GET /v1/turns/{turn}/questions", "list-questions", bellcord.ScopeRead,
		"List the open questions of a turn"), lookUp(o.record, q.open))
	addResponse(o, withStatus(http.StatusNoContent, route("POST /v1/turns/{turn}/answers/{question}", "answer-question",
		bellcord.ScopePrompt, "Answer an open question; stopping the turn closes it")), lookUp(o.record, q.answer))
}

func (q *questions) open(ctx context.Context, r store.TurnRecord, _ *TurnPath) (api.Questions, error) {
	open := append([]bellcord.Question{}, q.turn(r).Questions...)
	for i := range open {
		open[i].Choices = open[i].ChoicesFor(caller(ctx).Scopes)
	}
	return api.Questions{Questions: open}, nil
}

func (q *questions) answer(ctx context.Context, r store.TurnRecord, in *struct {
	TurnPath
	Question string `path:"question" doc:"id of a question"`
	Body     api.Answer
},
) (*struct{}, error) {
	isChosen := func(c bellcord.Choice) bool { return c.ID == in.Body.Choice }
	for _, open := range q.reader.QueueEntries([]store.TurnRecord{r})[r.ID].Questions {
		if open.ID == in.Question && !open.HasForm() && !slices.ContainsFunc(open.Choices, isChosen) {
			return nil, badInput("choice %q is not one of the question's choices", in.Body.Choice)
		}
	}
	user := caller(ctx)
	reply := bellcord.Reply{
		Choice: in.Body.Choice, Values: in.Body.Values, Reason: in.Body.Reason, Scopes: user.Scopes,
	}
	return nil, q.hub.Answer(r.ID, in.Question, reply, user.Owner)
}
