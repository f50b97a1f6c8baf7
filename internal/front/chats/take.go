package chats

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chats/outbox"
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
func (c *chat) hosted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.choice.Agent != ""
}

func (c *chat) policy() bellcord.BusyPolicy {
	if c.front.Replace {
		return bellcord.BusyReplace
	}
	return bellcord.BusyQueue
}
