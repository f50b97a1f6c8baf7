package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"
)

// read converts an update from Telegram's format. The bool result is false for
// updates that the front ignores: channel posts, messages without an
// identifiable sender, and service messages such as a new chat title.
func (b *Bot) read(raw []byte, arrived time.Time) (u Update, relevant bool, err error) {
	var in models.Update
	if err := json.Unmarshal(raw, &in); err != nil {
		return u, false, fmt.Errorf("read update %d: %w", numberOf(raw), err)
	}
	u = Update{ID: in.ID, At: arrived}
	switch {
	case in.Message != nil:
		u.At = time.Unix(int64(in.Message.Date), 0)
		u.Message = b.message(in.Message)
	case in.EditedMessage != nil:
		u.At = time.Unix(int64(in.EditedMessage.EditDate), 0)
		u.Edited = b.message(in.EditedMessage)
	case in.CallbackQuery != nil:
		u.Press = press(in.CallbackQuery)
	case in.StoppedMessageGeneration != nil:
		stopped := in.StoppedMessageGeneration
		u.Stopped = &Stopped{Place: place(stopped.Chat, stopped.MessageThreadID), Draft: stopped.DraftID}
	case in.MyChatMember != nil:
		u.At = time.Unix(int64(in.MyChatMember.Date), 0)
		u.Gone = gone(in.MyChatMember)
	}
	return u, u.Message != nil || u.Edited != nil || u.Press != nil || u.Stopped != nil || u.Gone != nil, nil
}

// numberOf returns an update's ID, or 0 if it cannot be read. No update has the
// ID 0.
func numberOf(raw []byte) int64 {
	var head struct {
		ID int64 `json:"update_id"`
	}
	if json.Unmarshal(raw, &head) != nil {
		return 0
	}
	return head.ID
}

// message returns nil if the message has no content or no identifiable sender.
// Messages sent in the name of a chat hide their author and therefore cannot be
// authorized.
func (b *Bot) message(in *models.Message) *Message {
	if in.From == nil || in.SenderChat != nil || in.Chat.Type == models.ChatTypeChannel {
		return nil
	}
	m := &Message{
		ID: in.ID, Place: messagePlace(in), From: person(*in.From),
		Text: in.Text, Files: files(in), Topic: in.IsTopicMessage,
	}
	if m.Text == "" {
		m.Text = in.Caption
	}
	if m.Text == "" && len(m.Files) == 0 {
		if m.Unsupported = unsupported(in); m.Unsupported == "" {
			return nil
		}
	}
	// Every message in a topic has ReplyToMessage set to the message that
	// opened the topic.
	if to := in.ReplyToMessage; to != nil && to.ForumTopicCreated == nil {
		m.ReplyTo = to.ID
		m.ReplyToSelf = to.From != nil && to.From.ID == b.id
	}
	return m
}

// unsupported returns what a message without text and files contains, or "" for
// a service message.
func unsupported(in *models.Message) string {
	switch {
	case in.Sticker != nil:
		return "stickers"
	case in.Location != nil, in.Venue != nil:
		return "locations"
	case in.Contact != nil:
		return "contacts"
	case in.Poll != nil:
		return "polls"
	case in.Checklist != nil:
		return "checklists"
	case in.Story != nil, in.Dice != nil, in.Game != nil, in.PaidMedia != nil:
		return "messages of this kind"
	}
	return ""
}

// press returns nil for a button under an inline message, because such a
// message is in none of the bot's chats.
func press(in *models.CallbackQuery) *Press {
	p := &Press{Query: in.ID, From: person(in.From), Data: in.Data}
	switch {
	case in.Message.Message != nil:
		p.Place, p.Message = messagePlace(in.Message.Message), in.Message.Message.ID
	case in.Message.InaccessibleMessage != nil:
		old := in.Message.InaccessibleMessage
		p.Place, p.Message = place(old.Chat, 0), old.MessageID
	default:
		return nil
	}
	return p
}

func gone(in *models.ChatMemberUpdated) *Gone {
	switch in.NewChatMember.Type {
	case models.ChatMemberTypeBanned, models.ChatMemberTypeLeft:
		return &Gone{Place: place(in.Chat, 0), By: person(in.From)}
	default:
		return nil
	}
}

// messagePlace ignores the thread ID that Telegram gives to reply chains
// outside of topics, because messages cannot be sent to it.
func messagePlace(in *models.Message) Place {
	if !in.IsTopicMessage {
		return place(in.Chat, 0)
	}
	return place(in.Chat, in.MessageThreadID)
}

func place(chat models.Chat, thread int) Place {
	group := chat.Type == models.ChatTypeGroup || chat.Type == models.ChatTypeSupergroup
	return Place{Chat: chat.ID, Thread: thread, Group: group, Title: chat.Title}
}

func person(u models.User) Person {
	return Person{ID: u.ID, Name: fullName(u.FirstName, u.LastName), Username: u.Username, Bot: u.IsBot}
}

func fullName(first, last string) string { return strings.TrimSpace(first + " " + last) }
