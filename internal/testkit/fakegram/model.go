package fakegram

import (
	"strconv"
	"strings"
	"time"
)

// User is a person or the bot, as the API shows it.
type User struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name,omitempty"`
	Username  string `json:"username,omitempty"`
	Language  string `json:"language_code,omitempty"`
}

// ChatInfo describes a chat, as the API shows it.
type ChatInfo struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"` // private or supergroup
	Title     string `json:"title,omitempty"`
	Username  string `json:"username,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
}

// Entity is a formatted or special part of a text. Offset and Length count
// UTF-16 units.
type Entity struct {
	Type     string `json:"type"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	URL      string `json:"url,omitempty"`
	User     *User  `json:"user,omitempty"`
	Language string `json:"language,omitempty"`
	EmojiID  string `json:"custom_emoji_id,omitempty"`
}

// Message is a message as the API shows it.
type Message struct {
	ID              int         `json:"message_id"`
	Thread          int         `json:"message_thread_id,omitempty"`
	InTopic         bool        `json:"is_topic_message,omitempty"`
	From            User        `json:"from"`
	Chat            ChatInfo    `json:"chat"`
	Date            int64       `json:"date"`
	Edited          int64       `json:"edit_date,omitempty"`
	ReplyTo         *Message    `json:"reply_to_message,omitempty"`
	Text            string      `json:"text,omitempty"`
	Entities        []Entity    `json:"entities,omitempty"`
	Photo           []PhotoSize `json:"photo,omitempty"`
	Document        *Document   `json:"document,omitempty"`
	Sticker         *Sticker    `json:"sticker,omitempty"`
	Caption         string      `json:"caption,omitempty"`
	CaptionEntities []Entity    `json:"caption_entities,omitempty"`
	Markup          *Markup     `json:"reply_markup,omitempty"`

	sent time.Time
}

// Sticker is a sticker. The bot can only see that there is one.
type Sticker struct {
	FileID string `json:"file_id"`
	Emoji  string `json:"emoji,omitempty"`
}

// Markup is an inline keyboard.
type Markup struct {
	Rows [][]Button `json:"inline_keyboard"`
}

// Button is one inline button.
type Button struct {
	Text  string `json:"text"`
	Data  string `json:"callback_data,omitempty"`
	URL   string `json:"url,omitempty"`
	Copy  *Copy  `json:"copy_text,omitempty"`
	Style string `json:"style,omitempty"`

	Chat    int64 `json:"-"` // location, for Press
	Message int   `json:"-"`
}

// Copy is the text that a button copies to the clipboard.
type Copy struct {
	Text string `json:"text"`
}

// Document is a file in a message.
type Document struct {
	FileID   string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Name     string `json:"file_name,omitempty"`
	Mime     string `json:"mime_type,omitempty"`
	Size     int    `json:"file_size"`
}

// PhotoSize is a picture in a message.
type PhotoSize struct {
	FileID   string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Size     int    `json:"file_size"`
}

// Command is one entry of the bot's menu.
type Command struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

func botUser(token string) User {
	number, _, _ := strings.Cut(token, ":")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id <= 0 {
		id = 1
	}
	return User{ID: id, IsBot: true, FirstName: "Bellcord", Username: "bellcord_bot"}
}

// buttons returns a message's buttons with Chat and Message set.
func (m *Message) buttons() []Button {
	if m.Markup == nil {
		return nil
	}
	var all []Button
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			b.Chat, b.Message = m.Chat.ID, m.ID
			all = append(all, b)
		}
	}
	return all
}
