package acp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
)

// clear starts a new conversation at once: a prompt on the next line is the
// first of it. The answer comes behind those of the prompts that were stopped,
// or after a bound.
func (s *Server) clear(request json.RawMessage, sess *session) {
	answered := sess.book.awaitOwedAnswers()
	stopping, err := sess.hub.Clear(sess.id, s.cause(bellcord.CausePerson, "/clear"))
	if err != nil {
		s.sendReply(request, failure(err))
		return
	}
	s.runAsync(request, sess, func() (string, error) {
		ctx, done := context.WithTimeout(context.Background(), endBound)
		defer done()
		stops, _ := stopping.Wait(ctx) // who is late says so by its state
		_ = answered(ctx)
		return cleared(stops), nil
	})
}

// stopAll carries out /stop: it stops at once, and answers with what became of
// it behind the answers of the prompts that were stopped, or after a bound.
func (s *Server) stopAll(request json.RawMessage, sess *session) {
	answered := sess.book.awaitOwedAnswers()
	stopping := sess.stopSession(s.cause(bellcord.CausePerson, "/stop"))
	s.runAsync(request, sess, func() (string, error) {
		ctx, done := context.WithTimeout(context.Background(), endBound)
		defer done()
		stops, _ := stopping.Wait(ctx) // a turn that has not settled is counted by its state
		_ = answered(ctx)
		if text := outcome(stops); text != "" {
			return strings.TrimSpace(text), nil
		}
		return "Nothing is running.", nil
	})
}

// cleared says what a clear did.
func cleared(stops []bellcord.StopAnswer) string {
	return "Cleared. Your next prompt starts a new conversation." + outcome(stops)
}

// outcome counts the turns that were stopped and those that still stop; "" for
// none. A turn that was done when the stop came was not stopped by it.
func outcome(stops []bellcord.StopAnswer) string {
	stopped, late := 0, 0
	for _, stop := range stops {
		switch {
		case stop.State.UnderWay():
			late++
		case stop.Receipt.End == bellcord.EndStopped:
			stopped++
		}
	}
	text := ""
	if stopped > 0 {
		text += " Stopped: " + plural(stopped, "prompt") + "."
	}
	if late > 0 {
		text += " Still stopping: " + plural(late, "prompt") + "."
	}
	return text
}
