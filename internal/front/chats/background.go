package chats

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/store"
)

// runCommand answers a command that affects no turn. It runs in the background and
// waits for no turn.
func (c *chat) runCommand(s incoming, what verb) {
	c.front.work.Go(func() {
		text, rows := c.replyTo(c.front.life, what, s)
		if text != "" {
			c.sendText(text, rows...)
		}
		c.front.Handled(s.handled)
	})
}

func (c *chat) replyTo(ctx context.Context, what verb, s incoming) (string, [][]Button) {
	words := s.text
	switch what {
	case help:
		return helpText, nil
	case start:
		return "Hello!\n\n" + helpText, nil
	case status:
		return c.status(ctx), nil
	case cost:
		return c.cost(ctx), nil
	case sessions:
		return c.offerConversations(ctx)
	case agent:
		if words != "" {
			return c.chooseAgent(ctx, words), nil
		}
		return c.agents(), buttons("a:", c.front.Agents(), c.front.Limits.ButtonData)
	case model:
		if words != "" {
			return c.chooseModel(ctx, words), nil
		}
		return c.models(ctx), buttons("m:", c.front.Models(), c.front.Limits.ButtonData)
	case file:
		return c.sendFile(ctx, words), nil
	case changes, undo, redo:
		return c.undoCommand(ctx, what, s)
	case rewinds:
		return c.rewindCommand(ctx, words)
	case prompt, stop, stopAll, instead, clearAll, fresh, unknown:
	}
	_, _, err := commands.Parse(words, false)
	if err == nil {
		return "", nil
	}
	return strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + ".", nil
}

// buttons returns a button for each name, one per row. Names that do not fit
// into a button can still be typed.
func buttons(kind string, names []string, mostData int) (rows [][]Button) {
	const mostRows = 12
	for _, name := range names {
		label := name
		if name == "" {
			label = "bellcord"
		}
		if len(kind+name) <= mostData && len(rows) < mostRows {
			rows = append(rows, []Button{{Text: label, Data: kind + name}})
		}
	}
	return rows
}

// distinct numbers buttons with a label that an earlier button has.
func distinct(rows [][]Button) [][]Button {
	taken := map[string]bool{}
	for _, row := range rows {
		for i, label := range row {
			for n := 2; taken[row[i].Text]; n++ {
				row[i].Text = fmt.Sprintf("%s (%d)", label.Text, n)
			}
			taken[row[i].Text] = true
		}
	}
	return rows
}

// status returns the reply to /status. It reads the state from the hub, not
// from the display.
func (c *chat) status(ctx context.Context) string {
	c.mu.Lock()
	id, pending, asks := c.session, len(c.pending), c.hasQuestion()
	c.mu.Unlock()
	if id == "" {
		if pending > 0 {
			return "● Starting."
		}
		return "Nothing is running. Your next message starts a session."
	}
	found, err := c.front.Hub.Session(ctx, id)
	if err != nil {
		return c.apology(err.Error())
	}
	turns, err := c.front.Hub.UnendedTurns(ctx, id)
	if err != nil {
		return c.apology(err.Error())
	}
	lines := []string{standing(turns, asks), "", "Session: " + titleOf(found), "Agent: " + named(found.Agent)}
	if found.Model != "" {
		lines = append(lines, "Model: "+found.Model)
	}
	if found.Mode != "" {
		lines = append(lines, "Mode: "+found.Mode)
	}
	return strings.Join(lines, "\n")
}

// standing describes the state of a session's turns. The second argument
// reports whether a turn waits for an answer.
func standing(turns []store.TurnRecord, asks bool) string {
	waiting := 0
	line := ""
	for _, t := range turns {
		switch {
		case t.State != bellcord.StateRunning:
			waiting++
		case t.Stop != nil:
			line = "■ Stopping."
		default:
			line = "● Running for " + span(time.Since(t.Accepted))
			if asks {
				line += ", waiting for your answer"
			}
			line += "."
		}
	}
	if line == "" {
		line = "Nothing is running."
	}
	if waiting > 0 {
		line += fmt.Sprintf(" %s queued.", plural.Count(waiting, "message"))
	}
	return line
}

func named(agent string) string {
	if agent == "" {
		return "bellcord"
	}
	return agent
}

// cost returns the reply to /cost: the spending of this session and of today.
func (c *chat) cost(ctx context.Context) string {
	c.mu.Lock()
	id := c.session
	c.mu.Unlock()
	year, month, day := time.Now().Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, time.Local)
	lines := []string{}
	for _, of := range []struct {
		word  string
		query store.SpendingQuery
	}{
		{"This session", store.SpendingQuery{Session: id, Owner: c.owner}},
		{"Today", store.SpendingQuery{Owner: c.owner, Since: today}},
	} {
		if of.query.Session == "" && of.query.Since.IsZero() {
			continue
		}
		spent, err := c.front.Hub.Spending(ctx, of.query)
		if err != nil {
			return c.apology(err.Error())
		}
		lines = append(lines, of.word+": "+total(spent))
	}
	return strings.Join(lines, "\n")
}

func total(all []store.Spending) string {
	var tokens, cost int64
	about := ""
	for _, s := range all {
		tokens += s.Total()
		cost += s.CostNanoUSD
		if !s.Exact {
			about = "about "
		}
	}
	return fmt.Sprintf("%s%d tokens, %s", about, tokens, plural.Dollars(cost))
}
