package hub

import (
	"context"

	"github.com/bellcord/bellcord"
)

// Ask shows a question to the people who watch the session and waits for a
// choice. A stop withdraws the question: Ask returns the cause, and a later
// answer fails with ErrTurnEnded. If ctx ends without a stop, the question is
// withdrawn, too, and its event QuestionAnswered has ChoiceWithdrawn.
func (w *Work) Ask(ctx context.Context, q bellcord.Question) (string, error) {
	r, err := w.AskForm(ctx, q)
	return r.Choice, err
}

// AskForm is like Ask, and also returns the values of the question's fields, or
// the reason of a rejection. The values fit the fields. It fails without a question if the form is invalid: see
// bellcord.Question.ValidateForm.
func (w *Work) AskForm(ctx context.Context, q bellcord.Question) (bellcord.Reply, error) {
	if err := q.ValidateForm(); err != nil {
		return bellcord.Reply{}, err
	}
	if q.ID = bellcord.ValidName(q.ID); q.ID == "" {
		q.ID = bellcord.NewQuestionID()
	}
	if q.HasForm() {
		q.Choices = bellcord.FormChoices()
	}
	answer, err := w.turn.openQuestion(q)
	if err != nil {
		return bellcord.Reply{}, err
	}
	defer w.takeForwarded(ctx, q.ID)()
	if err := w.Emit(bellcord.QuestionOpened{Question: q}); err != nil {
		w.turn.closeQuestion(q.ID) // the log has no such question
		return bellcord.Reply{}, err
	}
	select {
	case g := <-answer:
		if ctx.Err() != nil {
			w.withdraw(q.ID)
			return bellcord.Reply{}, context.Cause(ctx)
		}
		return g.reply, w.Emit(bellcord.QuestionAnswered{Question: q.ID, Choice: g.reply.Choice, Values: g.reply.Values, Reason: g.reply.Reason, By: g.by})
	case <-ctx.Done():
		w.withdraw(q.ID)
		return bellcord.Reply{}, context.Cause(ctx)
	}
}

// withdraw closes a question that the agent no longer needs. After a stop it does
// nothing: the stop withdraws the question, and the receipt lists it.
func (w *Work) withdraw(question string) {
	if w.turn.withdrawQuestion(question) {
		_ = w.Emit(bellcord.QuestionAnswered{Question: question, Choice: bellcord.ChoiceWithdrawn}) // fails only after a stop
	}
}

// Answer answers an open question of the turn on behalf of its agent, for example
// when a page that a question names reports that the user is done. It fails like
// Hub.Answer.
func (w *Work) Answer(question string, r bellcord.Reply, by string) error {
	return w.turn.answerQuestion(bellcord.ValidName(question), given{r, by})
}
