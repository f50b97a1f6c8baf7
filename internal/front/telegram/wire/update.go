package wire

import "time"

// Update is an event received from Telegram. Exactly one of its pointers is
// set.
type Update struct {
	ID int64
	// At is when the message was sent or the bot was removed, in whole
	// seconds. Telegram does not date presses and stops; for them it is the
	// time of arrival.
	At      time.Time
	Message *Message
	Edited  *Message // with its new text
	Press   *Press
	Stopped *Stopped
	Gone    *Gone
}

// Place is a chat, or a topic in a group.
type Place struct {
	Chat   int64
	Thread int    // ID of the topic; 0 outside of topics
	Group  bool   // a group or supergroup
	Title  string // of a group
}

// Person is a Telegram user or bot.
type Person struct {
	ID             int64
	Name, Username string
	Bot            bool
}

// Message is a message from a user. It has text, files or both, or else
// Unsupported.
type Message struct {
	ID          int
	Place       Place
	From        Person
	Text        string // the caption if there is a file
	ReplyTo     int    // 0 if the message is not a reply
	ReplyToSelf bool   // the message replies to one of the bot's
	Files       []File
	Topic       bool   // sent in a topic; Place.Thread is its ID
	Unsupported string // what it contains instead, in the plural, such as "stickers"
}

// File is a file that Download can fetch.
type File struct {
	ID, Name, Type string // Type is a media type such as image/jpeg
	Size           int64  // as reported by Telegram; 0 if it is not reported
	Photo          bool   // a photo, in the largest available size
}

// Press is a press of an inline button. It should get an Answer soon.
type Press struct {
	Query   string
	Place   Place
	Message int
	From    Person
	Data    string
}

// Stopped is a press of a draft's Stop button.
type Stopped struct {
	Place Place
	Draft int
}

// Gone means that By blocked the bot or removed it from the chat.
type Gone struct {
	Place Place
	By    Person
}
