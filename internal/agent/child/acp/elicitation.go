package acp

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/form"
)

// createElicitation shows a form or a URL of the agent to the user and returns
// the user's answer. A stop withdraws it.
func (t *turn) createElicitation(ctx context.Context, p acp.CreateElicitationRequest) (any, error) {
	q := bellcord.Question{ID: bellcord.NewQuestionID(), Call: p.ToolCallID, Text: p.Message}
	switch p.Mode {
	case acp.ElicitForm:
		fields, err := form.Fields(p.RequestedSchema)
		if err != nil {
			return nil, invalid(err.Error())
		}
		q.Fields = fields
	case acp.ElicitURL:
		q.URL = p.URL
		if q.URL == "" {
			return nil, invalid("the elicitation has no URL")
		}
		t.elicited.add(p.ElicitationID, q.ID)
		defer t.elicited.remove(p.ElicitationID)
	default:
		return nil, invalid("unknown elicitation mode")
	}
	if err := q.ValidateForm(); err != nil {
		return nil, invalid(err.Error())
	}
	reply, err := t.w.AskForm(ctx, q)
	switch {
	case t.ctx.Err() != nil:
		<-t.cancelSent // the agent must receive the cancel first
		return acp.CreateElicitationResponse{Action: acp.ElicitCancel}, nil
	case err != nil:
		return nil, err
	}
	return elicited(reply), nil
}

// elicited returns the response for a user's answer.
func elicited(r bellcord.Reply) acp.CreateElicitationResponse {
	switch r.Choice {
	case bellcord.ChoiceAccept:
		return acp.CreateElicitationResponse{Action: acp.ElicitAccept, Content: r.Values}
	case bellcord.ChoiceDecline:
		return acp.CreateElicitationResponse{Action: acp.ElicitDecline}
	}
	return acp.CreateElicitationResponse{Action: acp.ElicitCancel}
}

// completeElicitation closes the question of a URL when the agent reports that
// the user is done there.
func (s *speaker) completeElicitation(params json.RawMessage) {
	var p acp.CompleteElicitationNotification
	t := s.running()
	if json.Unmarshal(params, &p) != nil || t == nil {
		return
	}
	if question := t.elicited.question(p.ElicitationID); question != "" {
		_ = t.w.Answer(question, bellcord.Reply{Choice: bellcord.ChoiceAccept}, "the page") // fails if the user has answered
	}
}

// elicitations are the open questions with a URL, by the agent's ids. The zero
// value is empty.
type elicitations struct {
	mu  sync.Mutex
	ids map[string]string
}

func (e *elicitations) add(id, question string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ids == nil {
		e.ids = map[string]string{}
	}
	e.ids[id] = question
}

func (e *elicitations) remove(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.ids, id)
}

// question returns the id of the open question, or "".
func (e *elicitations) question(id string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ids[id]
}
