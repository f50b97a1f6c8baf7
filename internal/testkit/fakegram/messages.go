package fakegram

import (
	"slices"
	"time"
)

const (
	deletableFor = 48 * time.Hour
	mostDeleted  = 100
	notModified  = "message is not modified: specified new message content and reply markup are exactly the same" +
		" as a current content and reply markup of the message"
)

func (p *play) sendMessage() (any, error) {
	f, err := p.formatted("text", "entities")
	switch {
	case err != nil:
		return nil, err
	case f.text == "":
		return nil, bad("message text is empty")
	case units(f.text) > longestText:
		return nil, bad("message is too long")
	}
	return p.completeMessage(&Message{Text: f.text, Entities: f.entities})
}

// completeMessage adds thread, buttons, reply and sender to a message of the
// bot and appends it to the chat.
func (p *play) completeMessage(m *Message) (any, error) {
	var err error
	if m.Thread, err = p.thread(); err != nil {
		return nil, err
	}
	if m.Markup, err = p.markup(false); err != nil {
		return nil, err
	}
	if m.ReplyTo, err = p.repliedTo(); err != nil {
		return nil, err
	}
	m.From = p.me
	return p.chat.addMessage(p.now, m), nil
}

func (p *play) repliedTo() (*Message, error) {
	var to struct {
		ID      int  `json:"message_id"`
		Lenient bool `json:"allow_sending_without_reply"`
	}
	if err := p.q.object("reply_parameters", &to); err != nil || to.ID == 0 {
		return nil, err
	}
	found := p.chat.find(to.ID)
	if found == nil && !to.Lenient {
		return nil, bad("message to be replied not found")
	}
	return found.quoted(), nil
}

// quoted returns the message as it is shown in a reply to it: without its
// buttons and without the message that it replied to.
func (m *Message) quoted() *Message {
	if m == nil {
		return nil
	}
	out := *m
	out.ReplyTo, out.Markup = nil, nil
	return &out
}

// edited returns the message to edit, which must be the bot's own.
func (p *play) edited() (*Message, error) {
	id, err := p.q.number("message_id", "message identifier is not specified")
	if err != nil {
		return nil, err
	}
	m := p.chat.find(id)
	switch {
	case m == nil:
		return nil, bad("message to edit not found")
	case m.From.ID != p.me.ID:
		return nil, bad("message can't be edited")
	}
	return m, nil
}

// editText edits a text. Without reply_markup it removes the buttons, as
// Telegram does.
func (p *play) editText() (any, error) {
	m, err := p.edited()
	if err != nil {
		return nil, err
	}
	f, err := p.formatted("text", "entities")
	switch {
	case err != nil:
		return nil, err
	case f.text == "":
		return nil, bad("message text is empty")
	case units(f.text) > longestText:
		return nil, bad("MESSAGE_TOO_LONG")
	case m.Text == "":
		return nil, bad("there is no text in the message to edit")
	}
	markup, err := p.markup(true)
	if err != nil {
		return nil, err
	}
	if f.same(m.Text, m.Entities) && markup.same(m.Markup) {
		return nil, bad(notModified)
	}
	m.Text, m.Entities, m.Markup, m.Edited = f.text, f.entities, markup, p.now.Unix()
	return m, nil
}

func (p *play) editMarkup() (any, error) {
	m, err := p.edited()
	if err != nil {
		return nil, err
	}
	markup, err := p.markup(true)
	if err != nil {
		return nil, err
	}
	if markup.same(m.Markup) {
		return nil, bad(notModified)
	}
	m.Markup, m.Edited = markup, p.now.Unix()
	return m, nil
}

func (p *play) deleteOne() (any, error) {
	id, err := p.q.number("message_id", "message identifier is not specified")
	if err != nil {
		return nil, err
	}
	m := p.chat.find(id)
	if m == nil {
		return nil, bad("message to delete not found")
	}
	if err := p.deletable(m); err != nil {
		return nil, err
	}
	p.remove([]int{id})
	return true, nil
}

// deleteMany ignores missing messages, and deletes nothing if one of the others
// may not be deleted.
func (p *play) deleteMany() (any, error) {
	var ids []int
	if err := p.q.object("message_ids", &ids); err != nil {
		return nil, err
	}
	switch {
	case len(ids) == 0:
		return nil, bad("message identifiers are not specified")
	case len(ids) > mostDeleted:
		return nil, bad("too many message identifiers specified")
	}
	for _, id := range ids {
		if m := p.chat.find(id); m != nil {
			if err := p.deletable(m); err != nil {
				return nil, err
			}
		}
	}
	p.remove(ids)
	return true, nil
}

// deletable returns an error if the bot may not delete the message. For 48
// hours it may delete everything in private chats and its own messages in
// groups; as an administrator of a group, also those of others.
func (p *play) deletable(m *Message) error {
	switch {
	case p.now.Sub(m.sent) >= deletableFor:
		return bad("message can't be deleted for everyone")
	case p.chat.private() || m.From.ID == p.me.ID || p.chat.status[p.me.ID] == "administrator":
		return nil
	}
	return bad("message can't be deleted")
}

func (p *play) remove(ids []int) {
	p.chat.messages = slices.DeleteFunc(p.chat.messages, func(m *Message) bool { return slices.Contains(ids, m.ID) })
}
