package chats

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chats/outbox"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/store"
)

// incoming is a message or button press, with its author.
type incoming struct {
	handled func()
	turn    bellcord.TurnID // the turn of a prompt in it
	by      string          // the recorded name of the author
	text    string
	files   []File
}

// Handled calls the function that marks an event as handled, in the background.
func (f *Front) Handled(done func()) { f.work.Go(done) }

// Message handles a message. It does not block: slow work runs in the background,
// here and in the functions for other events. A stop has been passed to the hub
// when the function returns.
func (f *Front) Message(m Message) {
	what, words := Parse(m.Text)
	by, c, ok := f.admit(m.Place, m.From, m.Addressed)
	if !ok || !m.Addressed && (what != stop || !c.busy()) {
		f.Handled(m.Handled)
		return
	}
	// A prompt that was sent long before the bot came back would have
	// surprising effects.
	if f.OldAfter > 0 && time.Since(m.At) > f.OldAfter {
		f.once(m.Place, fmt.Sprintf("I was offline. I skipped messages that are more than %s old: send them again if they still matter.", span(f.OldAfter)))
		f.Handled(m.Handled)
		return
	}
	if m.Unsupported != "" {
		c.sendText(fmt.Sprintf("I can't read %s. Send me text, a picture or a file.", m.Unsupported))
		f.Handled(m.Handled)
		return
	}
	c.handleMessage(what, incoming{handled: m.Handled, turn: m.Turn, by: by, text: words, files: m.Files})
}

// Edited changes the text of a prompt that waits. A message with files keeps
// its first text, and a command has been executed already.
func (f *Front) Edited(m Message) {
	what, words := Parse(m.Text)
	if what != prompt || !m.Addressed || len(m.Files) > 0 || words == "" {
		f.Handled(m.Handled)
		return
	}
	_, c, ok := f.admit(m.Place, m.From, m.Addressed)
	if !ok {
		f.Handled(m.Handled)
		return
	}
	if !c.refusesAnswer(incoming{handled: m.Handled, text: words}) {
		c.editPrompt(m.Handled, m.Turn, words)
	}
}

// admit returns the name and the chat of a person with access. It replies to
// strangers in private chats and, once, in groups that are not listed.
func (f *Front) admit(p Place, from Person, forUs bool) (by string, c *chat, ok bool) {
	if from.Bot || from.ID == "" {
		return "", nil, false
	}
	by, known := f.Rights.Person(from.ID)
	switch {
	case !known:
		if !p.Group {
			f.stranger(p, from)
		}
		return "", nil, false
	case !p.Group:
		return by, f.chat(p, by), true
	}
	owner, listed := f.Rights.Group(p.Chat)
	if !listed {
		if forUs {
			f.once(p, fmt.Sprintf("I'm not set up for this group. To allow it, add its ID, %s, under [%s.groups] in the server's settings.", p.Chat, strings.ToLower(f.Platform)))
		}
		return "", nil, false
	}
	return by, f.chat(p, owner), true
}

func (f *Front) stranger(p Place, from Person) {
	code, tell, err := f.Rights.Invite(from)
	if err != nil {
		f.Logger.Error("handling a message from an unknown person failed", "platform", f.Platform, "err", err)
		return
	}
	if !tell {
		return
	}
	text := "This bot is private."
	if code != "" {
		text += fmt.Sprintf("\n\nIf it is yours, run this on its server within an hour:\nbellcord %s approve %s", strings.ToLower(f.Platform), code)
	}
	f.sendText(p, text)
}

// mostNoticed is the number of notices that are kept in order not to be repeated.
const mostNoticed = 10_000

// once sends a text to a place, at most once per process unless there are too many.
func (f *Front) once(p Place, text string) {
	if f.isNew(notice{at(p), text}) {
		f.sendText(p, text)
	}
}

// isNew reports whether a notice was not sent before, and marks it as sent.
func (f *Front) isNew(n notice) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.noticed) >= mostNoticed { // anyone can send messages; sending a notice again does no harm
		clear(f.noticed)
	}
	sent := f.noticed[n]
	f.noticed[n] = true
	return !sent
}

func (f *Front) sendText(p Place, text string) {
	f.box.Put(outbox.Call{Chat: string(p.Chat), Group: p.Group, Do: func(ctx context.Context) error {
		_, err := f.Messages.Send(ctx, Text{Place: p, Text: text})
		return err
	}})
}

// handleMessage runs the command or prompt in a message.
func (c *chat) handleMessage(what verb, s incoming) {
	c.stir()
	switch what {
	case prompt:
		if !c.takeValue(s) && !c.refusesAnswer(s) {
			c.acceptPrompt(s, c.policy())
		}
	case instead:
		c.instead(s)
	case stop:
		c.stopHere(s, bellcord.QueueHold)
	case stopAll:
		c.stopHere(s, bellcord.QueueDrop)
	case clearAll:
		c.clear(s)
	case fresh:
		c.fresh(s)
	case unknown:
		if c.hosted() { // it may be a command of the agent
			c.acceptPrompt(s, c.policy())
			return
		}
		c.runCommand(s, what)
	case status, agent, model, sessions, cost, file, changes, undo, redo, rewinds, help, start:
		c.runCommand(s, what)
	}
}

// hosted reports whether the chat uses a hosted agent. Such agents may have
// their own commands.
func (cs *choices) hosted() bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.choice.Agent != ""
}

func (sh *shared) policy() bellcord.BusyPolicy {
	if sh.front.Replace {
		return bellcord.BusyReplace
	}
	return bellcord.BusyQueue
}

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
func (sh *shared) cost(ctx context.Context) string {
	id := sh.currentSession()
	year, month, day := time.Now().Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, time.Local)
	lines := []string{}
	for _, of := range []struct {
		word  string
		query store.SpendingQuery
	}{
		{"This session", store.SpendingQuery{Session: id, Owner: sh.owner}},
		{"Today", store.SpendingQuery{Owner: sh.owner, Since: today}},
	} {
		if of.query.Session == "" && of.query.Since.IsZero() {
			continue
		}
		spent, err := sh.front.Hub.Spending(ctx, of.query)
		if err != nil {
			return sh.apology(err.Error())
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
