package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

func (s *Server) questionRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/turns/{turn}/questions", "list-questions", "List the open questions of a turn", bellcord.ScopeRead), s.questions)
	answer := route(http.MethodPost, "/v1/turns/{turn}/answers/{question}", "answer-question", "Answer an open question; stopping the turn closes it", bellcord.ScopePrompt)
	answer.DefaultStatus = http.StatusNoContent
	huma.Register(s.api, answer, s.answerQuestion)
}

func (s *Server) questions(ctx context.Context, in *TurnPath) (*struct{ Body api.Questions }, error) {
	r, err := s.record(ctx, in.Turn)
	if err != nil {
		return nil, s.fail(err)
	}
	open := append([]bellcord.Question{}, s.turn(r).Questions...)
	for i := range open {
		open[i].Choices = open[i].ChoicesFor(caller(ctx).Scopes)
	}
	return &struct{ Body api.Questions }{api.Questions{Questions: open}}, nil
}

func (s *Server) answerQuestion(ctx context.Context, in *struct {
	TurnPath
	Question string `path:"question" doc:"id of a question"`
	Body     api.Answer
},
) (*struct{}, error) {
	r, err := s.record(ctx, in.Turn)
	if err != nil {
		return nil, s.fail(err)
	}
	for _, q := range s.Hub.QueueEntries([]store.TurnRecord{r})[r.ID].Questions {
		if q.ID == in.Question && !q.HasForm() && !slices.ContainsFunc(q.Choices, func(c bellcord.Choice) bool { return c.ID == in.Body.Choice }) {
			return nil, s.fail(badInput("choice %q is not one of the question's choices", in.Body.Choice))
		}
	}
	user := caller(ctx)
	reply := bellcord.Reply{Choice: in.Body.Choice, Values: in.Body.Values, Reason: in.Body.Reason, Scopes: user.Scopes}
	return nil, s.fail(s.Hub.Answer(r.ID, in.Question, reply, user.Owner))
}
