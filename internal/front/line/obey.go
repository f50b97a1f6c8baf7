package line

import (
	"context"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
)

func (s *Screen) situation() Situation {
	q, _ := s.watch.Question()
	if q.ID != s.open {
		s.open, s.shown = q.ID, time.Now() // the next question must settle, too
	}
	return Situation{Running: s.watch.Running() != "", Question: q.ID, Shown: s.shown}
}

// obey runs the presses of the user and never blocks. ctx is for the requests
// that it starts in the background.
func (s *Screen) obey(ctx context.Context, presses []Press) outcome {
	for _, p := range presses {
		var err error
		switch p {
		case PressLeave:
			return outcome{over: true, err: s.View.Note("%s", s.farewell())}
		case PressStop:
			err = s.requestStop(ctx, bellcord.StopNow, "stopping…")
		case PressForce:
			err = s.requestStop(ctx, bellcord.StopForce, "stopping now…")
		case PressYes:
			s.answerQuestion(ctx, Yes)
		case PressAlways:
			s.answerQuestion(ctx, Always)
		case PressNo:
			s.answerQuestion(ctx, No)
		case MarkYes, MarkAlways, MarkNo:
			err = s.View.Note("  %s? Enter confirms, any other key cancels", s.marked(p))
		case Unmark:
			err = s.View.Note("  not answered")
		}
		if err != nil {
			return outcome{err: err}
		}
	}
	return outcome{}
}

// marked describes the answer that a key has marked.
func (s *Screen) marked(p Press) string {
	q, _ := s.watch.Question()
	always := OfferAlways(q)
	switch {
	case p == MarkNo && q.HasForm():
		return "decline"
	case q.HasForm():
		return "accept"
	case p == MarkNo:
		return "reject"
	case p == MarkAlways && always != "":
		return always
	}
	return "allow once"
}

func (s *Screen) farewell() string {
	if s.watch.Running() != "" {
		return "detached; the turn keeps running"
	}
	return "detached"
}

// requestStop shows the stop immediately and sends it.
func (s *Screen) requestStop(ctx context.Context, mode bellcord.StopMode, words string) error {
	turn := s.watch.Running()
	s.sending.Go(func() {
		if err := s.Stop(ctx, turn, mode); err != nil {
			s.Notify(fmt.Sprintf("stop not delivered: %v; press again", err))
		}
	})
	return s.watch.Stopping(words)
}

// answerQuestion answers the question that has been open longest. While its
// answer is being sent it cannot be answered again, so that pressing a key
// twice does not answer two questions.
func (s *Screen) answerQuestion(ctx context.Context, r Reply) {
	q, open := s.watch.Question()
	if !open || q.ID == s.answering {
		return
	}
	s.answering = q.ID
	turn := s.watch.Running()
	s.sending.Go(func() {
		if err := s.Answer(ctx, turn, q.ID, bellcord.Reply{Choice: Choose(q, r)}); err != nil {
			s.printReport(report{fmt.Sprintf("answer not delivered: %v", err), q.ID})
		}
	})
}

func (s *Screen) applyReport(r report) outcome {
	if r.question != "" && r.question == s.answering {
		s.answering = ""
	}
	return outcome{err: s.View.Note("%s", r.words)}
}
