package hub

import (
	"context"
	"errors"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Answer passes a person's answer to an open question. by names the person. It
// returns ErrNoQuestion if the question is not open, and ErrTurnEnded after a
// stop or if no process has the turn. An answer that does not fit the
// question's fields fails with a *bellcord.InvalidReplyError, and one for which
// r.Scopes do not suffice with ErrAnswerScope; the question stays open.
//
// A turn of another process that shares the store gets the answer through the
// log. If the question is answered there at the same time, that answer counts.
// With Options.Peers, Answer returns ErrTurnEnded for such a turn instead.
func (h *Hub) Answer(turn bellcord.TurnID, question string, r bellcord.Reply, by string) error {
	h.mu.Lock()
	t := h.turns[turn]
	h.mu.Unlock()
	switch {
	case t != nil:
		return t.answerQuestion(question, given{r, by})
	case h.sharesOnlyStore():
		return h.forwardAnswer(turn, question, r, by)
	}
	return bellcord.ErrTurnEnded
}

// sharesOnlyStore reports whether other processes are reached through the store
// alone.
func (h *Hub) sharesOnlyStore() bool {
	_, is := h.peers.(alone)
	return is
}

// forwardAnswer writes an answer for the process that runs the turn.
func (h *Hub) forwardAnswer(turn bellcord.TurnID, question string, r bellcord.Reply, by string) error {
	if h.opts.MayForward != nil {
		if err := h.opts.MayForward(); err != nil {
			return err
		}
	}
	ctx, done := context.WithTimeout(h.life, maxPoll)
	defer done()
	record, err := h.store.Turn(ctx, turn)
	switch {
	case errors.Is(err, bellcord.ErrNoTurn):
		return bellcord.ErrTurnEnded
	case err != nil:
		return err
	case record.State == bellcord.StateEnded, record.Stop != nil && record.Stop.Mode != bellcord.StopAfterStep:
		return bellcord.ErrTurnEnded
	}
	q, err := h.openQuestionOf(ctx, record, question)
	if err != nil {
		return err
	}
	scopes := r.Scopes
	if r, err = q.CheckReply(r); err != nil {
		return err
	}
	return h.appendToSession(ctx, record.Session, bellcord.AnswerForwarded{Turn: turn, Answer: bellcord.QuestionAnswered{
		Question: q.ID, Choice: r.Choice, Values: r.Values, Reason: r.Reason, By: bellcord.ValidName(by),
	}, Scopes: scopes})
}

// openQuestionOf reads an open question from the log of another process's turn.
func (h *Hub) openQuestionOf(ctx context.Context, record store.TurnRecord, id string) (bellcord.Question, error) {
	var found *bellcord.Question
	err := store.EachEvent(ctx, h.store, record.Session, record.FirstSeq, func(ev bellcord.Event) bool {
		if ev.Turn != record.ID {
			return true
		}
		switch b := ev.Body.(type) {
		case bellcord.QuestionOpened:
			if b.Question.ID == id {
				found = &b.Question
			}
		case bellcord.QuestionAnswered:
			if b.Question == id {
				found = nil
			}
		default: // no other event opens or closes a question
		}
		return true
	})
	switch {
	case err != nil:
		return bellcord.Question{}, err
	case found == nil:
		return bellcord.Question{}, bellcord.ErrNoQuestion
	}
	return *found, nil
}

// takeForwarded passes answers from other processes to a question that is about
// to be opened, until the returned function is called. If the log cannot be
// read, the question can be answered in this process only.
func (w *Work) takeForwarded(ctx context.Context, question string) (stop func()) {
	if !w.hub.sharesOnlyStore() {
		return func() {}
	}
	ctx, done := context.WithCancel(ctx)
	after, err := w.hub.Tail(ctx, w.Session.ID)
	var reader sync.WaitGroup
	reader.Go(func() {
		if err == nil {
			err = w.readForwarded(ctx, after, question)
		}
		if ctx.Err() == nil && !errors.Is(err, bellcord.ErrClosed) {
			w.hub.logger.Error("cannot read answers from other processes", "session", w.Session.ID, "turn", w.Turn, "err", err)
		}
	})
	return func() { done(); reader.Wait() }
}

// readForwarded returns when the log cannot be read or ctx ends.
func (w *Work) readForwarded(ctx context.Context, after int64, question string) error {
	cursor, err := w.hub.Events(ctx, w.Session.ID, after)
	if err != nil {
		return err
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			return err
		}
		for _, ev := range events {
			if b, is := ev.Body.(bellcord.AnswerForwarded); is && b.Turn == w.Turn && b.Answer.Question == question {
				a := b.Answer
				r := bellcord.Reply{Choice: a.Choice, Values: a.Values, Reason: a.Reason, Scopes: b.Scopes}
				_ = w.turn.answerQuestion(question, given{r, a.By}) // fails if it is too late
			}
		}
	}
}
