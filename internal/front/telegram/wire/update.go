package wire

import "time"

// Update is something that happened. Exactly one of its pointers is set.
type Update struct {
	ID int64
	// At is when a message was sent or the bot thrown out, to the second. For a
	// press and a stop, which Telegram does not date, it is the arrival.
	At      time.Time
	Message *Message
	Press   *Press
	Stopped *Stopped
	Gone    *Gone
}

// Place is where something happens or is sent.
type Place struct {
	Chat   int64
	Thread int    // of a topic; 0 outside of all
	Group  bool   // a group or supergroup
	Title  string // of a group
}

// Person is somebody, or a bot.
type Person struct {
	ID             int64
	Name, Username string
	Bot            bool
}

// Message is what somebody wrote or sent. It has text or files or both.
type Message struct {
	ID          int
	Place       Place
	From        Person
	Text        string // the caption where there is a file
	ReplyTo     int    // 0 if it is no reply
	ReplyToSelf bool   // to a message of the bot
	Files       []File
	Topic       bool // in a topic, which is the place's thread
}

// File is something that Download fetches.
type File struct {
	ID, Name, Type string // such as image/jpeg
	Size           int64  // as Telegram says; 0 if it does not
	Photo          bool   // in the largest size there is
}

// Press is that of an inline button. It wants an Answer soon.
type Press struct {
	Query   string
	Place   Place
	Message int
	From    Person
	Data    string
}

// Stopped is a press of a draft's Stop.
type Stopped struct {
	Place Place
	Draft int
}

// Gone says that the bot was blocked or thrown out, and by whom.
type Gone struct {
	Place Place
	By    Person
}
