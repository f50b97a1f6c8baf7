package fakegram

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// AddPerson adds a person, with a private chat that is not started yet.
func (s *Server) AddPerson(u User) {
	s.change(func(time.Time) {
		s.people = append(s.people, &u)
		s.chats[u.ID] = newChat(ChatInfo{ID: u.ID, Type: "private", FirstName: u.FirstName, LastName: u.LastName, Username: u.Username})
	})
}

// AddGroup adds a group with the bot and these people; the first one is its
// owner. id must be negative.
func (s *Server) AddGroup(id int64, title string, people ...int64) {
	s.change(func(time.Time) {
		c := newChat(ChatInfo{ID: id, Type: "supergroup", Title: title})
		for i, person := range people {
			c.status[person] = "member"
			if i == 0 {
				c.status[person] = "creator"
			}
		}
		c.status[s.me.ID] = "member"
		c.started = true
		s.chats[id] = c
		s.groups = append(s.groups, id)
	})
}

// Promote sets a member's status: administrator, member, or "" for a former
// member.
func (s *Server) Promote(group, user int64, status string) {
	s.change(func(time.Time) { s.chats[group].status[user] = status })
}

// OpenThread opens a topic in a chat and returns its ID.
func (s *Server) OpenThread(chat int64) (id int) {
	s.change(func(time.Time) {
		c := s.chats[chat]
		c.lastID++
		id = c.lastID
		c.threads[id] = true
	})
	return id
}

// Say sends a text message of a person to a chat.
func (s *Server) Say(chat, user int64, text string) (Message, error) {
	return s.utter(chat, user, Message{Text: text}, 0)
}

// SayIn sends a text message of a person to a thread.
func (s *Server) SayIn(chat int64, thread int, user int64, text string) (Message, error) {
	return s.utter(chat, user, Message{Text: text, Thread: thread}, 0)
}

// Edit changes the text of a message of a person.
func (s *Server) Edit(chat, user int64, message int, text string) (err error) {
	s.change(func(now time.Time) {
		c := s.chats[chat]
		if c == nil || c.find(message) == nil || c.find(message).From.ID != user {
			err = fmt.Errorf("chat %d has no message %d of %d", chat, message, user)
			return
		}
		m := c.find(message)
		m.Text, m.Entities, m.Edited = text, spotted(text), now.Unix()
		if s.botReceives(c, *m) {
			s.queueUpdate(now, "edited_message", *m, nil)
		}
	})
	return err
}

// SaySticker sends a sticker of a person to a chat.
func (s *Server) SaySticker(chat, user int64) (Message, error) {
	return s.utter(chat, user, Message{Sticker: &Sticker{FileID: "sticker", Emoji: "👍"}}, 0)
}

// Reply sends a reply of a person to a message.
func (s *Server) Reply(chat, user int64, to int, text string) (Message, error) {
	return s.utter(chat, user, Message{Text: text}, to)
}

// SayPhoto sends a picture of a person to a chat.
func (s *Server) SayPhoto(chat, user int64, name string, data []byte, caption string) (Message, error) {
	m := Message{Caption: caption}
	var err error
	s.change(func(time.Time) {
		var f *file
		if f, err = s.keepPhoto(upload{name: name, data: data}); err == nil {
			m.Photo = f.photo()
		}
	})
	if err != nil {
		return m, err
	}
	return s.utter(chat, user, m, 0)
}

// SayDocument sends a file of a person to a chat. The name is not checked, as
// it comes from the person's app.
func (s *Server) SayDocument(chat, user int64, name string, data []byte, caption string) (Message, error) {
	m := Message{Caption: caption}
	s.change(func(time.Time) {
		f := s.keep("documents", upload{name: name, data: data})
		f.name = name
		m.Document = f.document()
	})
	return s.utter(chat, user, m, 0)
}

func (s *Server) utter(chat, user int64, m Message, to int) (out Message, err error) {
	s.change(func(now time.Time) {
		from, known := s.user(user)
		c := s.chats[chat]
		if !known || c == nil || !c.holds(user) {
			err = fmt.Errorf("nobody with number %d is in chat %d", user, chat)
			return
		}
		if units(m.Text) > longestText || units(m.Caption) > longestCaption {
			err = errors.New("too long for one message: people's apps split it")
			return
		}
		m.From, m.ReplyTo = from, c.find(to).quoted()
		m.Entities, m.CaptionEntities = spotted(m.Text), spotted(m.Caption)
		c.started, c.blocked = true, false // writing to the bot unblocks it
		out = *c.addMessage(now, &m)
		if s.botReceives(c, out) {
			s.queueUpdate(now, "message", out, nil)
		}
	})
	return out, err
}

// holds reports whether a user is in the chat.
func (c *chat) holds(user int64) bool {
	if c.private() {
		return c.info.ID == user
	}
	return c.status[user] != ""
}

// botReceives reports whether the bot receives the message. In privacy mode it
// receives only group messages that are addressed to it.
func (s *Server) botReceives(c *chat, m Message) bool {
	return c.private() || s.receivesAll || c.status[s.me.ID] == "administrator" ||
		strings.HasPrefix(m.Text+m.Caption, "/") || strings.Contains(m.Text+m.Caption, "@"+s.me.Username) ||
		m.ReplyTo != nil && m.ReplyTo.From.ID == s.me.ID
}

var spots = regexp.MustCompile(`(?:^|\s)(/[a-zA-Z0-9_]{1,32}(?:@[a-zA-Z0-9_]+)?|@[a-zA-Z0-9_]{3,})`)

// spotted returns the entities that Telegram detects: commands and mentions.
func spotted(text string) []Entity {
	var out []Entity
	for _, at := range spots.FindAllStringSubmatchIndex(text, -1) {
		word := text[at[2]:at[3]]
		kind := "mention"
		if strings.HasPrefix(word, "/") {
			kind = "bot_command"
		}
		out = append(out, Entity{Type: kind, Offset: units(text[:at[2]]), Length: units(word)})
	}
	return out
}

// Block makes a person block the bot and sends the bot the update.
func (s *Server) Block(user int64) {
	s.change(func(now time.Time) {
		c, never := s.chats[user], 0
		c.blocked = true
		from, _ := s.user(user)
		s.queueUpdate(now, "my_chat_member", struct {
			Chat ChatInfo `json:"chat"`
			From User     `json:"from"`
			Date int64    `json:"date"`
			Old  member   `json:"old_chat_member"`
			New  member   `json:"new_chat_member"`
		}{c.info, from, now.Unix(), member{Status: "member", User: s.me}, member{Status: "kicked", User: s.me, Until: &never}}, nil)
	})
}
