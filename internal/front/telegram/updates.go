package telegram

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// Take passes an update to the core. It does not block.
func (f *Front) Take(u wire.Update) {
	handled := func() {
		if err := f.bot.Handled(u.ID); err != nil {
			f.Logger.Error("marking a telegram update as handled failed", "err", err)
		}
	}
	switch {
	case u.Message != nil:
		f.takeMessage(u, u.Message, handled, f.Message)
	case u.Edited != nil:
		f.takeMessage(u, u.Edited, handled, f.Edited)
	case u.Press != nil:
		p := u.Press
		f.Press(chats.Press{
			Place: placeOf(p.Place), From: personIn(p.Place, p.From), Message: idOf(p.Message), Data: p.Data,
			Turn:    f.turn("%d", u.ID),
			Reply:   func(ctx context.Context, text string) error { return f.bot.Answer(ctx, p.Query, text, false) },
			Handled: handled,
		})
	case u.Stopped != nil:
		at := u.Stopped.Place
		person := chats.Person{ID: personID(at.Chat)} // a private chat has the ID of its person
		f.StopDraft(chats.StopDraft{Place: placeOf(at), From: person, Draft: u.Stopped.Draft, Handled: handled})
	default:
		f.Handled(handled)
	}
}

// takeMessage passes a message to take, unless it is a command for another bot.
func (f *Front) takeMessage(u wire.Update, m *wire.Message, handled func(), take func(chats.Message)) {
	text, forUs := m.Text, true
	if m.Place.Group {
		text, forUs = addressed(m, f.self.Username)
	}
	text, forBot := withoutName(text, f.self.Username)
	if !forBot {
		f.Handled(handled)
		return
	}
	out := chats.Message{
		Place: placeOf(m.Place), From: personIn(m.Place, m.From), At: u.At, Text: text, Addressed: forUs, Unsupported: m.Unsupported,
		Turn: f.turn("message %d %d", m.Place.Chat, m.ID), Handled: handled,
	}
	for _, file := range m.Files {
		out.Files = append(out.Files, chats.File{ID: chats.ID(file.ID), Name: file.Name, Size: file.Size})
	}
	take(out)
}

// turn returns the ID of the turn for a message or a press. It is the same when the
// message is delivered again after a crash, and when it is edited.
func (f *Front) turn(format string, args ...any) bellcord.TurnID {
	return bellcord.TurnID(bellcord.NamedID(fmt.Sprintf("telegram %d ", f.self.ID) + fmt.Sprintf(format, args...)))
}

// personIn returns the person who acts at a place. A private chat has the ID of its
// person: nobody else acts there.
func personIn(at wire.Place, p wire.Person) chats.Person {
	if !at.Group && at.Chat != p.ID {
		return chats.Person{}
	}
	return chats.Person{ID: personID(p.ID), Name: p.Name, Username: p.Username, Bot: p.Bot}
}

// withoutName removes a bot's name from a command, as in /stop@bellcord. It
// returns false if the name is another bot's.
func withoutName(text, bot string) (string, bool) {
	if !strings.HasPrefix(text, "/") {
		return text, true
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	word, to, addressed := strings.Cut(text[:end], "@")
	if !addressed {
		return text, true
	}
	return word + text[end:], strings.EqualFold(to, bot)
}

// addressed removes the bot's name from a message in a group. It reports
// whether the message is for the bot: by name, as a command, or as a reply.
func addressed(m *wire.Message, bot string) (string, bool) {
	name := "@" + bot
	for at := 0; bot != "" && at+len(name) <= len(m.Text); at++ {
		end := at + len(name)
		if strings.EqualFold(m.Text[at:end], name) && (at == 0 || !letter(m.Text[at-1])) && (end == len(m.Text) || !letter(m.Text[end])) {
			return strings.TrimSpace(m.Text[:at] + m.Text[end:]), true
		}
	}
	return m.Text, m.ReplyToSelf || strings.HasPrefix(m.Text, "/")
}

// letter reports whether b can be part of a username. It distinguishes a
// mention from the command "/stop@bellcord" and from another bot's name such as
// "@bellcord2".
func letter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}
