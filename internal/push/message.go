package push

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

// The kinds of messages.
const (
	kindQuestion = "question"
	kindEnd      = "end"
	kindTest     = "test"
)

// mostTitle is the maximum number of characters of a title in a message.
const mostTitle = 120

// Message is the content of a push message, which only the browser can decrypt.
// It never contains a command, an answer or the text of a question.
type Message struct {
	Kind    string             `json:"kind"` // question, end or test
	Session bellcord.SessionID `json:"session,omitempty"`
	Turn    bellcord.TurnID    `json:"turn,omitempty"`
	Title   string             `json:"title,omitempty"` // of the session
	End     bellcord.End       `json:"end,omitempty"`
}

func (m Message) encode() []byte {
	if utf8.RuneCountInString(m.Title) > mostTitle {
		m.Title = string([]rune(m.Title)[:mostTitle-1]) + "…"
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // the fields are strings
	}
	return text
}

// urgency decides when a push service wakes a phone that saves energy.
func (m Message) urgency() string {
	if m.Kind == kindEnd {
		return "normal"
	}
	return "high"
}

// wanted reports whether a subscription gets a message.
func (m Message) wanted(by serverstore.PushSubscription) bool {
	return m.Kind == kindQuestion && by.Questions || m.Kind == kindEnd && by.Ends
}
