package telegram

import (
	"context"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/telegram/outbox"
	"github.com/bellcord/bellcord/internal/front/telegram/rights"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// incoming is a message or button press, with its author.
type incoming struct {
	update int64
	turn   bellcord.TurnID // the turn of a prompt in it
	by     string          // the recorded name of the author
	text   string
	files  []wire.File
}

// Take handles an update. It does not block: slow work runs in the background.
// A stop has been passed to the hub when Take returns.
func (f *Front) Take(u wire.Update) {
	switch {
	case u.Message != nil:
		f.takeMessage(u, u.Message)
	case u.Edited != nil:
		f.takeEdit(u, u.Edited)
	case u.Press != nil:
		f.takePress(u, u.Press)
	case u.Stopped != nil:
		f.takeStopped(u, u.Stopped)
	default:
		f.handled(u.ID)
	}
}

// handled marks an update as handled, in the background.
func (f *Front) handled(update int64) {
	f.work.Go(func() {
		if err := f.Bot.Handled(update); err != nil {
			f.Logger.Error("marking a telegram update as handled failed", "err", err)
		}
	})
}

func (f *Front) takeMessage(u wire.Update, m *wire.Message) {
	text, forUs := m.Text, true
	if m.Place.Group {
		text, forUs = addressed(m, f.self.Username)
	}
	what, words := parse(text, f.self.Username)
	if what == elsewhere {
		f.handled(u.ID)
		return
	}
	by, c, ok := f.admit(m.Place, m.From, forUs)
	if !ok || !forUs && (what != stop || !c.busy()) {
		f.handled(u.ID)
		return
	}
	// A prompt that was sent long before the bot came back would have
	// surprising effects.
	if f.OldAfter > 0 && time.Since(u.At) > f.OldAfter {
		f.once(m.Place, fmt.Sprintf("I was offline. I skipped messages that are more than %s old: send them again if they still matter.", span(f.OldAfter)))
		f.handled(u.ID)
		return
	}
	if m.Unsupported != "" {
		c.sendText(fmt.Sprintf("I can't read %s. Send me text, a picture or a file.", m.Unsupported))
		f.handled(u.ID)
		return
	}
	c.handleMessage(what, incoming{update: u.ID, turn: f.turnOf(m), by: by, text: words, files: m.Files})
}

// takeEdit changes the text of a prompt that waits. A message with files keeps
// its first text, and a command has been executed already.
func (f *Front) takeEdit(u wire.Update, m *wire.Message) {
	text, forUs := m.Text, true
	if m.Place.Group {
		text, forUs = addressed(m, f.self.Username)
	}
	what, words := parse(text, f.self.Username)
	if what != prompt || !forUs || len(m.Files) > 0 || words == "" {
		f.handled(u.ID)
		return
	}
	_, c, ok := f.admit(m.Place, m.From, forUs)
	if !ok {
		f.handled(u.ID)
		return
	}
	c.editPrompt(u.ID, f.turnOf(m), words)
}

// admit returns the name and the chat of a person with access. It replies to
// strangers in private chats and, once, in groups that are not listed.
func (f *Front) admit(p wire.Place, from wire.Person, forUs bool) (by string, c *chat, ok bool) {
	by, known := f.Rights.Person(from.ID)
	switch {
	case from.Bot:
		return "", nil, false
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
			f.once(p, fmt.Sprintf("I'm not set up for this group. To allow it, add its ID, %d, under [telegram.groups] in the server's settings.", p.Chat))
		}
		return "", nil, false
	}
	return by, f.chat(p, owner), true
}

func (f *Front) stranger(p wire.Place, from wire.Person) {
	code, tell, err := f.Rights.Code(rights.Stranger{ID: from.ID, Name: from.Name, Username: from.Username})
	if err != nil {
		f.Logger.Error("handling a message from an unknown telegram user failed", "err", err)
		return
	}
	if !tell {
		return
	}
	text := "This bot is private."
	if code != "" {
		text += fmt.Sprintf("\n\nIf it is yours, run this on its server within an hour:\nbellcord telegram approve %s", code)
	}
	f.sendText(p, text)
}

// once sends a text to a place, at most once per process.
func (f *Front) once(p wire.Place, text string) {
	f.mu.Lock()
	sent := f.noticed[notice{at(p), text}]
	f.noticed[notice{at(p), text}] = true
	f.mu.Unlock()
	if !sent {
		f.sendText(p, text)
	}
}

func (f *Front) sendText(p wire.Place, text string) {
	f.box.Put(outbox.Call{Chat: p.Chat, Group: p.Group, Do: func(ctx context.Context) error {
		_, err := f.Bot.Send(ctx, wire.Text{Place: p, Text: text})
		return err
	}})
}

// handleMessage runs the command or prompt in a message.
func (c *chat) handleMessage(what verb, s incoming) {
	c.stir()
	switch what {
	case prompt:
		if !c.takeValue(s) {
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
	case status, agent, model, sessions, cost, file, help, start, elsewhere:
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
