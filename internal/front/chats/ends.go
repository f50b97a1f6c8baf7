package chats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chats/outbox"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/visible"
)

// mostParts is the maximum number of messages for an answer; a longer one is sent
// as a file.
const mostParts = 3

// finish shows a turn's end: the rest of its text, and how it ended. The caller
// holds the lock.
func (c *chat) finish(t *turn, r bellcord.Receipt) {
	announced := t.end()
	delete(c.turns, t.id)
	delete(c.own, t.id)
	c.front.box.Drop(string(c.place.Chat), t.slot())
	c.closeQuestions(t)
	defer c.signalEndLocked()
	if announced {
		c.takeAway([]*turn{t.without()})
	}
	if c.replacedByPolicy(r) {
		c.withdrawPreview(t)
		c.note()
		return
	}
	if t.display == displayCleared && r.End == bellcord.EndStopped || t.unseen(r) {
		c.note()
		return
	}
	body := strings.TrimSpace(t.text.String())
	if t.display == displayCleared { // it was done before the clear: the answer is complete
		body, t.live, t.flushed = strings.TrimSpace(t.all.String()), "", 0
	}
	below, rows := c.ends(t, r)
	rows = append(rows, c.offer(t)...)
	c.ending[t.id] = t
	c.note()
	last := c.newFinal(t, r)
	if body == "" && below == "" && last.line == "" {
		if t.drafts > 0 && t.live == "" { // the text was sent as messages; the last may still be queued
			c.put(func(context.Context) error { c.delivered(t); return nil })
			return
		}
		below = "Done, with no text."
	}
	last.needed = true
	c.deliver(t, last, body, below, rows)
	if len(r.HeldTurns) > 0 && len(rows) > 0 {
		c.last = &farewell{turn: t.id, message: last, receipt: r}
	}
}

// unseen reports whether a turn was stopped before it showed anything and its
// end needs no message, because another message reports it.
func (t *turn) unseen(r bellcord.Receipt) bool {
	switch {
	case r.End != bellcord.EndStopped || t.all.Len() > 0 || len(t.tools) > 0:
		return false
	case r.Cause.Kind == bellcord.CauseReplaced:
		return t.live == ""
	}
	return r.Times.Started.IsZero() && (!t.own || r.Cause.Queue == bellcord.QueueDrop)
}

// deliver sends the rest of the answer and ends it with the last message. The
// caller holds the lock.
func (c *chat) deliver(t *turn, end *final, body, below string, rows [][]Button) {
	parts := Split(body, c.front.Limits.part())
	if len(parts) > mostParts {
		c.deliverFile(t, end, body, below, rows)
		return
	}
	switch {
	case len(parts) > 0 && Units(parts[len(parts)-1]+below)+end.length() <= c.front.Limits.whole():
	case len(parts) > 0 && below == "" && end.line == "":
		end.needed = false // its line gets a separate message
	default:
		parts = append(parts, "") // for the lines below
	}
	for i, part := range parts {
		last := i == len(parts)-1
		message := &final{text: new(c.markdown(part, "", nil))}
		if last && end.needed {
			message = end
		}
		if last {
			*message.text = c.markdown(part, below, rows)
		}
		c.put(func(ctx context.Context) error {
			err := c.sendLast(ctx, t, i == 0, message)
			if last && (err == nil || errors.Is(err, outbox.ErrNever)) {
				c.delivered(t)
			}
			return err
		})
	}
}

// deliverFile sends an answer that is too long for messages as a file, and its
// beginning as a message.
func (c *chat) deliverFile(t *turn, end *final, body, below string, rows [][]Button) {
	const beginning = 1000
	head := Split(body, beginning)[0]
	below = strings.TrimSpace("… the full answer is in the file below.\n" + below)
	*end.text = c.markdown(head, below, rows)
	c.put(func(ctx context.Context) error { return c.sendLast(ctx, t, true, end) })
	c.put(func(ctx context.Context) error {
		err := c.front.Files.Upload(ctx, c.place, "answer.md", []byte(body))
		if err == nil || errors.Is(err, outbox.ErrNever) {
			c.delivered(t)
		}
		return err
	})
}

// sendLast sends a part of the rest of the answer. The first part replaces the
// edited message, if there is one and the platform accepts the edit.
func (c *chat) sendLast(ctx context.Context, t *turn, first bool, m *final) error {
	c.mu.Lock()
	live := t.live
	c.mu.Unlock()
	if first && live != "" {
		err := c.deliverFinal(m, func(text Text) (ID, error) { return live, c.front.Messages.Edit(ctx, live, text) })
		if !errors.Is(err, outbox.ErrNever) {
			return err
		}
	}
	return c.deliverFinal(m, func(text Text) (ID, error) { return c.front.Messages.Send(ctx, text) })
}

// delivered records that a turn was shown completely.
func (c *chat) delivered(t *turn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ending, t.id)
	c.note()
}

// ends returns the line below a turn's text that reports its end and its
// processes, and buttons for the next action.
func (sh *shared) ends(t *turn, r bellcord.Receipt) (string, [][]Button) {
	words, rows := sh.endLine(t, r)
	parts := processParts(r.Processes)
	if words != "" {
		parts = append([]string{words}, parts...)
	}
	return strings.Join(parts, " · "), rows
}

func (sh *shared) endLine(t *turn, r bellcord.Receipt) (string, [][]Button) {
	retry := Button{Text: "↻ Retry", Data: "t:" + string(t.id)}
	switch r.End {
	case bellcord.EndStopped:
		rows := [][]Button{{{Text: "▶ Continue", Data: "c:" + string(t.id)}, retry}}
		if r.Times.Started.IsZero() {
			rows[0] = rows[0][1:]
		}
		if n := len(r.HeldTurns); n > 0 {
			rows = append(rows, []Button{
				{Text: sendLabel(n), Data: "r:" + string(t.id)},
				{Text: "✕ Discard", Data: "d:" + string(t.id)},
			})
		}
		return sh.stoppedLine(r), rows
	case bellcord.EndFailed:
		return sh.apology(r.Error), [][]Button{{retry}}
	case bellcord.EndLost:
		return "✗ Lost: " + line.LostReason + ". The answer so far is kept.", [][]Button{{retry}}
	case bellcord.EndDone:
		if r.Cause != nil && r.Cause.Kind == bellcord.CausePerson {
			return "The answer was complete before the stop arrived.", nil
		}
		return incompleteLine(t, r)
	}
	return "", nil
}

// incompleteLine reports an answer that is done and not complete.
func incompleteLine(t *turn, r bellcord.Receipt) (string, [][]Button) {
	switch missing := r.IncompleteText(); {
	case missing == "":
		return "", nil
	case r.Incomplete == bellcord.IncompleteMaxOutput:
		return "⚠ " + missing, [][]Button{{{Text: "▶ Continue", Data: "c:" + string(t.id)}}}
	default:
		return "⚠ " + missing, [][]Button{{{Text: "↻ Retry", Data: "t:" + string(t.id)}}}
	}
}

func sendLabel(n int) string {
	if n == 1 {
		return "▶ Send the held message"
	}
	return fmt.Sprintf("▶ Send %d held messages", n)
}

// stoppedLine returns the last line of a stopped turn: the cause, the duration,
// and the outcome of its tool calls and queued messages.
func (sh *shared) stoppedLine(r bellcord.Receipt) string {
	parts := []string{"⏹ Stopped" + sh.stopCause(r.Cause)}
	if r.Times.Started.IsZero() {
		parts[0] += " before it started"
	} else {
		parts = append(parts, span(r.Times.Settled.Sub(r.Times.Started)))
	}
	if tools := toolsLine(r.Calls); tools != "" {
		parts = append(parts, tools)
	}
	for _, of := range []struct {
		n    int
		word string
	}{{len(r.HeldTurns), "held"}, {len(r.DroppedTurns), "dropped"}} {
		if of.n > 0 {
			parts = append(parts, plural.Count(of.n, "message")+" "+of.word)
		}
	}
	return strings.Join(parts, " · ")
}

// processParts describes the processes that a turn's end ended, and those that
// may still run.
func processParts(p bellcord.Processes) []string {
	var parts []string
	if ended := p.EndedText(); ended != "" {
		parts = append(parts, ended)
	}
	if unknown := p.UnknownText(); unknown != "" {
		parts = append(parts, "processes "+unknown)
	}
	if n := len(p.Survivors); n > 0 {
		parts = append(parts, "⚠ "+plural.Count(n, "process")+" survived")
	}
	if n := len(p.Unconfirmed); n > 0 {
		parts = append(parts, "⚠ "+plural.Count(n, "process")+" not confirmed as ended")
	}
	return parts
}

// stopCause returns the cause of a stop for the last line. It is empty if the owner
// stopped the turn from this platform, or if no name is recorded.
func (sh *shared) stopCause(cause *bellcord.Cause) string {
	if why := line.StopReason(cause.Kind); why != "" {
		return ": " + why
	}
	from := ""
	if cause.Source != "" && cause.Source != sh.front.Platform {
		from = ", " + cause.Source
	}
	if cause.By == "" || cause.By == sh.owner && from == "" {
		return ""
	}
	return " by " + cause.By + from
}

func toolsLine(c bellcord.Calls) string {
	var parts []string
	for _, of := range []struct {
		n    int
		word string
	}{{c.Finished, "done"}, {len(c.Stopped), "stopped"}, {len(c.NotStarted), "not run"}, {len(c.Unknown), "unknown"}} {
		switch {
		case of.n > 0 && len(parts) == 0:
			parts = append(parts, plural.Count(of.n, "tool call")+" "+of.word)
		case of.n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.word))
		}
	}
	return strings.Join(parts, ", ")
}

// span formats a duration for users.
func span(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}

// Limits of a tool line and an error message, in characters.
const (
	mostTool   = 120
	mostReason = 600
)

// toolLine returns a tool call for users: its title, or its name and arguments.
func toolLine(b bellcord.ToolCallRequested) string {
	line := b.Title
	if line == "" {
		line = b.Name
		if len(b.Arguments) > 2 {
			line += " " + plainArgs(b.Arguments)
		}
	}
	return short(visible.Text(strings.Join(strings.Fields(line), " ")), mostTool)
}

// apology returns the message for an error. It hides the details unless
// ExposeErrors is set.
func (sh *shared) apology(err string) string {
	if sh.front.ExposeErrors {
		return "✗ " + short(strings.SplitN(err, "\n", 2)[0], mostReason)
	}
	return "✗ Something went wrong. The server's log has the details."
}

func short(line string, most int) string {
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}

// replacedByPolicy reports whether a newer message replaced the turn because
// Config.Replace is set. Its end is not shown, only the newer answer. If a
// person replaces an answer with "!", its end is shown.
func (sh *shared) replacedByPolicy(r bellcord.Receipt) bool {
	return r.End == bellcord.EndStopped && r.Cause.Kind == bellcord.CauseReplaced && r.Cause.Source != sh.front.Platform
}

// withdrawPreview deletes the message that shows an unfinished answer. It
// bypasses the chat's pace, so that the newer answer is not delayed. The caller
// holds the lock.
func (ts *shownTurns) withdrawPreview(t *turn) {
	ts.front.box.Aside(func(ctx context.Context) error {
		ts.mu.Lock()
		live := t.live
		ts.mu.Unlock()
		if live == "" {
			return nil
		}
		return ts.front.Messages.Delete(ctx, ts.place, []ID{live})
	})
}
