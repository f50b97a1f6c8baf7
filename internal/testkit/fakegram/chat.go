package fakegram

import (
	"slices"
	"strings"
	"time"
)

const actionLife = 5 * time.Second

// chat is one conversation. A private chat has the ID of its person, a group a
// negative ID.
type chat struct {
	info     ChatInfo
	status   map[int64]string // of the members of a group: creator, administrator, member
	started  bool             // set by a person's first message
	blocked  bool
	messages []*Message // in order, without deleted ones
	lastID   int
	threads  map[int]bool
	drafts   map[int]*draft // by thread
	stopped  map[string]*stop

	action     string
	actionEnds time.Time

	sends, edits, draftings bucket
	minute                  []time.Time // times of messages and edits in the last minute
	ban                     ban
}

func newChat(info ChatInfo) *chat {
	return &chat{
		info: info, status: map[int64]string{}, threads: map[int]bool{},
		drafts: map[int]*draft{}, stopped: map[string]*stop{},
		sends: bucket{size: 3, rate: 1}, edits: bucket{size: 3, rate: 1}, draftings: bucket{size: 2, rate: 1},
	}
}

func (c *chat) private() bool { return c.info.Type == "private" }

// open returns an error if the bot may not write to the chat.
func (c *chat) open(bot int64) error {
	switch {
	case !c.private() && c.status[bot] == "":
		return forbidden("bot is not a member of the supergroup chat")
	case !c.private():
		return nil
	case c.blocked:
		return forbidden("bot was blocked by the user")
	case !c.started:
		return forbidden("bot can't initiate conversation with a user")
	}
	return nil
}

func (c *chat) settle(now time.Time) {
	if c.action != "" && !now.Before(c.actionEnds) {
		c.action = ""
	}
	for thread, d := range c.drafts {
		if !now.Before(d.ends()) {
			delete(c.drafts, thread)
		}
	}
}

// addMessage appends a message. A message of the bot ends its typing action and
// dismisses its draft.
func (c *chat) addMessage(now time.Time, m *Message) *Message {
	c.lastID++
	m.ID, m.Chat, m.Date, m.sent = c.lastID, c.info, now.Unix(), now
	m.InTopic = m.Thread != 0
	c.messages = append(c.messages, m)
	if m.From.IsBot {
		c.action = ""
		delete(c.drafts, m.Thread)
	}
	return m
}

func (c *chat) find(id int) *Message {
	at := slices.IndexFunc(c.messages, func(m *Message) bool { return m.ID == id })
	if at < 0 {
		return nil
	}
	return c.messages[at]
}

// thread reads message_thread_id, which must be an open thread.
func (p *play) thread() (int, error) {
	id := p.q.numberOr("message_thread_id", 0)
	if id != 0 && !p.chat.threads[id] {
		return 0, bad("message thread not found")
	}
	return id, nil
}

var actions = strings.Fields("typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker" +
	" find_location record_video_note upload_video_note")

func (p *play) sendAction() (any, error) {
	if _, err := p.thread(); err != nil {
		return nil, err
	}
	action := p.q.params["action"]
	if !slices.Contains(actions, action) {
		return nil, bad("wrong parameter action in request")
	}
	p.chat.action, p.chat.actionEnds = action, p.now.Add(actionLife)
	return true, nil
}

func (p *play) getMe() (any, error) {
	return struct {
		User
		JoinsGroups bool `json:"can_join_groups"`
		HearsAll    bool `json:"can_read_all_group_messages"`
		Inline      bool `json:"supports_inline_queries"`
	}{p.me, true, p.receivesAll, false}, nil
}

func (p *play) getChat() (any, error) {
	return struct {
		ChatInfo
		Accent    int `json:"accent_color_id"`
		Reactions int `json:"max_reaction_count"`
	}{p.chat.info, 0, 11}, nil
}

// member is a member of a chat, as the API shows it.
type member struct {
	Status string `json:"status"`
	User   User   `json:"user"`
	Until  *int   `json:"until_date,omitempty"` // required for kicked members
}

func (p *play) getMember() (any, error) {
	id, err := p.q.number("user_id", "invalid user_id specified")
	if err != nil {
		return nil, err
	}
	user, known := p.user(int64(id))
	if !known {
		return nil, bad("member not found")
	}
	return member{Status: p.chat.statusOf(user.ID), User: user}, nil
}

func (c *chat) statusOf(user int64) string {
	switch {
	case c.status[user] != "":
		return c.status[user]
	case c.private():
		return "member"
	}
	return "left"
}

// user returns a person or the bot.
func (s *Server) user(id int64) (User, bool) {
	if id == s.me.ID {
		return s.me, true
	}
	for _, u := range s.people {
		if u.ID == id {
			return *u, true
		}
	}
	return User{}, false
}
