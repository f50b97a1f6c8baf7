package chats

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// Messages sends, changes and deletes messages.
type Messages interface {
	// Send returns the ID of the new message.
	Send(ctx context.Context, t Text) (ID, error)
	// Edit replaces the text and the buttons of a message. An edit that changes
	// nothing is not an error.
	Edit(ctx context.Context, message ID, t Text) error
	// Delete deletes messages. A message that is missing is not an error.
	Delete(ctx context.Context, p Place, messages []ID) error
	RemoveButtons(ctx context.Context, p Place, message ID) error
}

// Files sends files to people, and gets files from them.
type Files interface {
	Upload(ctx context.Context, p Place, name string, data []byte) error
	// Download returns ErrTooLarge for a file of more than most bytes.
	Download(ctx context.Context, file ID, most int64) ([]byte, error)
}

// Drafts shows messages that are being written.
type Drafts interface {
	// CanDraft reports whether the platform has drafts at this place.
	CanDraft(p Place) bool
	Draft(ctx context.Context, d Draft) error
}

// Rights decides who may use the bot. The List of package rights implements it for
// every platform.
type Rights interface {
	// Person returns the name of a person with access.
	Person(id ID) (name string, ok bool)
	// Group returns the name of a group in which people with access may use the
	// bot.
	Group(id ID) (name string, ok bool)
	// Invite returns whether a stranger gets a reply now, and the code in it, if
	// people can be paired.
	Invite(p Person) (code string, reply bool, err error)
}

// ErrTooLarge is returned by Files for a file that exceeds a size limit.
var ErrTooLarge = errors.New("the file is too large")

// Limits contains the limits of a platform.
type Limits struct {
	Text       int           // length of a message, in UTF-16 units; at least 1000
	Buttons    int           // number of buttons below a message; at least 20
	ButtonData int           // length of a button's data, in bytes; at least 64
	Upload     int64         // size of a file that a bot can send
	Download   int64         // size of a file that a bot can get
	Draft      time.Duration // how long a draft is visible without an update; 0 without drafts
}

// The length of a part of an answer, of a part with the lines below it, of a
// preview, of thinking in a preview, and of a question. A part leaves room for a
// closing fence and the lines below it.
func (l Limits) part() int     { return l.Text - 96 }
func (l Limits) whole() int    { return l.Text - 16 }
func (l Limits) preview() int  { return l.Text - 196 }
func (l Limits) thinking() int { return l.Text - 296 }
func (l Limits) question() int { return l.Text - 596 }

// ID identifies a chat, a topic, a person, a message or a file on a platform. It
// is empty for none.
type ID string

// UnmarshalJSON also accepts an integer, as earlier versions stored it; 0 means no ID.
func (id *ID) UnmarshalJSON(text []byte) error {
	if strings.HasPrefix(string(text), `"`) {
		return json.Unmarshal(text, (*string)(id))
	}
	var n int64
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	*id = ""
	if n != 0 {
		*id = ID(strconv.FormatInt(n, 10))
	}
	return nil
}

// Place is a chat, or a topic in a group.
type Place struct {
	Chat   ID
	Thread ID // of the topic; "" outside of topics
	Group  bool
	Title  string // of a group
}

// Person is a user of the platform, or a bot.
type Person struct {
	ID             ID // "" if the sender is not one person; such a sender has no access
	Name, Username string
	Bot            bool
}

// Text is the content of a message to send or edit. The adapter shows Below as
// plain text in a paragraph after Text.
type Text struct {
	Place       Place
	Text, Below string
	Markdown    bool // Text is Markdown
	Buttons     [][]Button
	Silent      bool // without a notification
}

// Button is a button below a message. The adapter shortens a text that is too long
// for the platform.
type Button struct {
	Text, Data string
	Danger     bool // shown in red
}

// Draft is a message that is being written. Without text, it shows that the bot is
// thinking. Its ID is positive and has at most 31 bits.
type Draft struct {
	Place Place
	ID    int
	Text  string
}

// Command is an entry of the bot's menu.
type Command struct{ Name, About string }

// File is a file that Files can download.
type File struct {
	ID   ID
	Name string
	Size int64 // 0 if it is not known
}

// Message is a message from a person.
type Message struct {
	Place       Place
	From        Person
	At          time.Time
	Text        string // without the name of the bot
	Addressed   bool   // it is for the bot; always true in a private chat
	Files       []File
	Unsupported string // what it contains instead, in the plural, such as "stickers"

	// Turn is the ID of the message's turn. It is the same when the message is
	// received again, and when it is edited.
	Turn bellcord.TurnID
	// Handled records that the message must not be received again. It may block.
	Handled func()
}

// Press is a press of a button.
type Press struct {
	Place   Place
	From    Person
	Message ID
	Data    string
	Turn    bellcord.TurnID // of a prompt that the press sends
	Reply   func(ctx context.Context, text string) error
	Handled func()
}

// StopDraft is a press of a draft's Stop button.
type StopDraft struct {
	Place   Place
	From    Person
	Draft   int
	Handled func()
}
