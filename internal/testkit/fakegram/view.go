package fakegram

import (
	"slices"
	"time"
)

// View is what a person currently sees in a chat.
type View struct {
	Info     ChatInfo  `json:"info"`
	Messages []Message `json:"messages"`
	Drafts   []Draft   `json:"drafts"`           // live drafts, at most one per thread
	Action   string    `json:"action,omitempty"` // such as typing
	Blocked  bool      `json:"blocked,omitempty"`
}

// Draft is a message being written, as a person sees it.
type Draft struct {
	ID       int       `json:"id"`
	Thread   int       `json:"thread,omitempty"`
	Text     string    `json:"text"` // "Thinking…" if the bot sent none
	Entities []Entity  `json:"entities,omitempty"`
	Thinking bool      `json:"thinking,omitempty"`
	CanStop  bool      `json:"can_stop,omitempty"` // a Stop button is there
	Stopped  bool      `json:"stopped,omitempty"`  // Stop was pressed, and the draft is kept for a while
	Updated  time.Time `json:"updated"`
	Updates  int       `json:"updates"` // animated updates after the first
}

// Chat returns what a person currently sees in a chat, or the zero View if
// there is no such chat.
func (s *Server) Chat(id int64) (v View) {
	s.read(func(time.Time) {
		if c := s.chats[id]; c != nil {
			v = c.view()
		}
	})
	return v
}

func (c *chat) view() View {
	v := View{Info: c.info, Action: c.action, Blocked: c.blocked, Messages: []Message{}, Drafts: []Draft{}}
	for _, m := range c.messages {
		v.Messages = append(v.Messages, *m)
	}
	for thread, d := range c.drafts {
		shown := Draft{
			ID: d.id, Thread: thread, Text: d.text, Entities: slices.Clone(d.entities),
			CanStop: d.canStop && !d.stopped, Stopped: d.stopped, Updated: d.at, Updates: d.animated,
		}
		if d.text == "" {
			shown.Text, shown.Thinking = "Thinking…", true
		}
		v.Drafts = append(v.Drafts, shown)
	}
	slices.SortFunc(v.Drafts, func(a, b Draft) int { return a.Thread - b.Thread })
	return v
}

// Draft returns the live draft outside of all threads, if any.
func (v View) Draft() (Draft, bool) {
	for _, d := range v.Drafts {
		if d.Thread == 0 {
			return d, true
		}
	}
	return Draft{}, false
}

// Last returns the newest message, or the zero Message if the chat is empty.
func (v View) Last() Message {
	if len(v.Messages) == 0 {
		return Message{}
	}
	return v.Messages[len(v.Messages)-1]
}

// Button returns the newest button with this label.
func (v View) Button(label string) (Button, bool) {
	for _, m := range slices.Backward(v.Messages) {
		for _, b := range m.buttons() {
			if b.Text == label {
				return b, true
			}
		}
	}
	return Button{}, false
}
