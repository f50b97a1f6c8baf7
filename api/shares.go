package api

import (
	"time"

	"github.com/bellcord/bellcord"
)

// NewShare is the body of POST /v1/sessions/{session}/shares.
type NewShare struct {
	Days       int  `json:"days,omitempty" minimum:"1" maximum:"90" default:"7" doc:"number of days after which the link expires"`
	ToolOutput bool `json:"tool_output,omitempty" doc:"also share all arguments and the output of tool calls; commands and paths are always shared"`
}

// Share is a copy of a conversation that everyone with its link can read.
type Share struct {
	ID      string             `json:"id"`
	Session bellcord.SessionID `json:"session"`
	Owner   string             `json:"owner,omitempty"`
	Title   string             `json:"title,omitempty"`
	Created time.Time          `json:"created"`
	Expires time.Time          `json:"expires"`
	Token   string             `json:"token,omitempty" doc:"last part of the link /share/TOKEN; only in the response that creates the share, because the server stores only its hash"`
}

// Shares lists shares that have not expired, the newest first.
type Shares struct {
	Shares []Share `json:"shares" nullable:"false"`
}

// Shared is the response to GET /v1/shared: a conversation as it was when it
// was shared.
type Shared struct {
	Title   string       `json:"title,omitempty"`
	Owner   string       `json:"owner,omitempty"`
	Created time.Time    `json:"created"`
	Expires time.Time    `json:"expires"`
	Turns   []SharedTurn `json:"turns" nullable:"false"`
}

// SharedTurn is a turn of a shared conversation.
type SharedTurn struct {
	Prompt   string       `json:"prompt"`
	Images   int          `json:"images,omitempty" doc:"number of images of the prompt, which are not shared"`
	Files    int          `json:"files,omitempty" doc:"number of text files of the prompt, which are not shared"`
	Accepted time.Time    `json:"accepted"`
	End      bellcord.End `json:"end,omitempty" doc:"done, stopped, failed or lost; empty if the turn had not ended"`
	Parts    []SharedPart `json:"parts" nullable:"false"`
}

// SharedPart is a text of the agent, or a tool call.
type SharedPart struct {
	Text    string `json:"text,omitempty" doc:"text of the agent, as Markdown"`
	Tool    string `json:"tool,omitempty" doc:"name of a tool"`
	Title   string `json:"title,omitempty" doc:"the call in one line"`
	Outcome string `json:"outcome,omitempty" doc:"finished, failed, stopped, not_started or unknown; empty if the call had not ended"`
	Input   string `json:"input,omitempty" doc:"arguments as JSON; only if tool output is shared"`
	Output  string `json:"output,omitempty" doc:"only if tool output is shared"`
}
