package acp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
)

// clear starts a new conversation immediately: the next prompt on the wire is
// its first. The reply is sent after those of the prompts that were stopped, or
// after endBound.
func (s *Server) clear(request json.RawMessage, sess *session) {
	answered := sess.book.awaitOwedAnswers()
	sess.cancelUndos()
	stopping, err := sess.hub.Clear(sess.id, s.cause(bellcord.CausePerson, "/clear"))
	if err != nil {
		s.sendReply(request, failure(err))
		return
	}
	s.runAsync(request, sess, "/clear", func() (string, error) {
		ctx, done := context.WithTimeout(context.Background(), endBound)
		defer done()
		stops, _ := stopping.Wait(ctx) // a turn that has not settled is counted by its state
		_ = answered(ctx)
		return cleared(stops), nil
	})
}

// stopAll runs /stop. It stops the session immediately; the reply is sent after
// those of the prompts that were stopped, or after endBound.
func (s *Server) stopAll(request json.RawMessage, sess *session) {
	answered := sess.book.awaitOwedAnswers()
	if err := s.allow(bellcord.ScopeStop); err != nil {
		s.sendReply(request, failure(err))
		return
	}
	stopping := sess.stopSession(s.cause(bellcord.CausePerson, "/stop"))
	s.runAsync(request, sess, "/stop", func() (string, error) {
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

// cleared returns the text that is shown after a clear.
func cleared(stops []bellcord.StopAnswer) string {
	return "Cleared. Your next prompt starts a new conversation." + outcome(stops)
}

// outcome counts the turns that were stopped and those that are still stopping;
// it returns "" if both are zero. A turn that ended before the stop is not
// counted.
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
		text += " Stopped: " + plural.Count(stopped, "prompt") + "."
	}
	if late > 0 {
		text += " Still stopping: " + plural.Count(late, "prompt") + "."
	}
	return text
}
