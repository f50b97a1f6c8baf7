package api

import "github.com/bellcord/bellcord"

// ChangedTexts contains the changes of a turn to text files.
type ChangedTexts struct {
	Changes []bellcord.Change `json:"changes" nullable:"false"`
}

// Undo is the body of an undo and of a redo.
type Undo struct {
	ID        string   `json:"id,omitempty" maxLength:"64" pattern:"^[A-Za-z0-9_-]*$" doc:"your id for the request: a repeated request with the same id returns the result of the first; letters, digits, - and _"`
	Paths     []string `json:"paths,omitempty" maxItems:"1000" doc:"only these paths and everything below them, relative to the session's directory; empty for all"`
	Confirmed bool     `json:"confirmed,omitempty" doc:"also undo changes that were made while a command was running, because a person has seen the list"`
	DryRun    bool     `json:"dry_run,omitempty" doc:"change nothing; the response lists what an undo would do"`
}

// Rewind is the body of a rewind.
type Rewind struct {
	Turn     string `json:"turn,omitempty" doc:"the conversation goes on as it was before this turn"`
	TakeBack bool   `json:"take_back,omitempty" doc:"take the last rewind back, instead of a turn"`
}
