// Package api defines the HTTP API of a Bellcord server: the bodies of requests
// and responses under /v1. Receipts, events and questions are types of package
// bellcord.
package api

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// NewSession is the body of POST /v1/sessions. Empty fields select the server's
// defaults.
type NewSession struct {
	Dir   string `json:"dir,omitempty" doc:"absolute path of the working directory; empty creates one for the session. Without the admin scope it must be inside a directory that the server's settings allow you: see GET /v1/projects"`
	Title string `json:"title,omitempty" maxLength:"200"`
	Agent string `json:"agent,omitempty" maxLength:"256" doc:"name from GET /v1/agents; empty for the server's default"`
	Model string `json:"model,omitempty" maxLength:"256" doc:"provider/model; empty for the server's default"`
	Mode  string `json:"mode,omitempty" enum:"read-only,ask,auto-edit,full"`
}

// SessionChange is the body of PATCH /v1/sessions/{session}. Empty fields are
// not changed. A running turn keeps the settings it started with.
type SessionChange struct {
	Title string  `json:"title,omitempty" maxLength:"200"`
	Model string  `json:"model,omitempty" maxLength:"256"`
	Mode  string  `json:"mode,omitempty" enum:"read-only,ask,auto-edit,full"`
	Agent *string `json:"agent,omitempty" doc:"the session's agent; another one is refused, because a session keeps its agent"`
}

// LastEventHeader is a header of the response to GET /v1/sessions/{session}/events:
// the sequence number of the last event that the log had at that time, 0 without
// one. Events up to it are the past.
const LastEventHeader = "Bellcord-Last-Event"

// Session is a session with its turns that have not ended.
type Session struct {
	bellcord.Session
	Turns []Turn `json:"turns,omitempty" doc:"turns that have not ended, in order"`
}

// Sessions is a page of sessions, the most recently updated first.
type Sessions struct {
	Sessions   []bellcord.Session `json:"sessions" nullable:"false"`
	NextCursor string             `json:"next_cursor,omitempty" doc:"pass it as ?before= to get the next page; empty on the last page"`
}

// NewTurn is the body of POST /v1/sessions/{session}/turns.
type NewTurn struct {
	ID           string           `json:"id,omitempty" format:"uuid" doc:"client-generated id of the turn; lets you send a stop before, with or after the prompt"`
	Text         string           `json:"text" minLength:"1"`
	Images       []bellcord.Image `json:"images,omitempty"`
	Files        []bellcord.File  `json:"files,omitempty" doc:"text files that are attached to the prompt; text and files have at most 1 MiB together"`
	Links        []bellcord.Link  `json:"links,omitempty"`
	Task         string           `json:"task,omitempty" enum:"command,compact" doc:"command: the text is ! and a command, which runs in the session's directory without the model and without a question; rules and modes that deny it apply. compact: the text is /compact, optionally with a space and what to keep; a summary replaces the conversation in requests to the model. A hosted agent keeps its own conversation: send it /compact as text, without a task"`
	WhenBusy     string           `json:"when_busy,omitempty" enum:"queue,reject,replace" doc:"what to do while another turn runs: queue (default), reject, or replace (stop it and run this one)"`
	OnDisconnect string           `json:"on_disconnect,omitempty" enum:"continue,stop" doc:"continue (default): the turn keeps running; stop: it is stopped once its session has had no viewer for ten seconds"`
	Deadline     string           `json:"deadline,omitempty" doc:"maximum duration of the turn, such as 90s"`
	MaxSteps     int              `json:"max_steps,omitempty" minimum:"0" doc:"maximum number of model requests"`
	Budget       Budget           `json:"budget,omitzero"`
}

// CompactCommand begins the text of a turn with the task compact. A space and
// what the summary keeps may follow.
const CompactCommand = "/compact"

// CompactText returns the text of a turn with the task compact. keep describes
// what the summary keeps; it may be empty.
func CompactText(keep string) string { return strings.TrimSpace(CompactCommand + " " + keep) }

// Budget limits a turn; 0 means no limit other than the server's.
type Budget struct {
	MaxTokens  int64   `json:"max_tokens,omitempty" minimum:"0"`
	MaxCostUSD float64 `json:"max_cost_usd,omitempty" minimum:"0"`
}

// TurnState is the state of a turn: one of the constants below, or its End.
type TurnState string

// The states of a turn that has not ended.
const (
	Queued   TurnState = "queued"
	Running  TurnState = "running"
	Waiting  TurnState = "waiting" // for an answer: see Turn.Questions
	Stopping TurnState = "stopping"
)

// Turn is one prompt and everything done for it.
type Turn struct {
	ID          bellcord.TurnID     `json:"id"`
	Session     bellcord.SessionID  `json:"session"`
	State       TurnState           `json:"state" doc:"queued, running, waiting (for a person), stopping, done, stopped, failed or lost"`
	Held        bool                `json:"held,omitempty" doc:"held by a stop of the turn before it: send, edit or discard it"`
	Text        string              `json:"text" doc:"the prompt, without an escaping slash; for the task compact, the text as it was sent"`
	Task        bellcord.Task       `json:"task,omitempty" enum:"compact,import,command,unprompted" doc:"what the turn does instead of answering the text; unprompted: a hosted agent works without a prompt, and the text describes it"`
	Accepted    time.Time           `json:"accepted"`
	Node        string              `json:"node,omitempty" doc:"id of the process that has the turn; see GET /v1/nodes"`
	FirstSeq    int64               `json:"first_seq" doc:"sequence number of the turn's first event; to read the whole turn, pass one less as ?after="`
	StopRequest *bellcord.Cause     `json:"stop_request,omitempty" doc:"the stop requested for this turn, if any"`
	Questions   []bellcord.Question `json:"questions,omitempty" doc:"open questions: the turn waits for an answer"`
	Receipt     *bellcord.Receipt   `json:"receipt,omitempty" doc:"set once the turn has ended"`

	Answer *bellcord.TurnAnswer `json:"answer,omitempty" doc:"only with ?include=answer: the agent's text and tool calls so far, or of the whole turn once it has ended"`
}

// Turns is a list of turns.
type Turns struct {
	Turns []Turn `json:"turns" nullable:"false"`
}

// Receipts is a list of receipts, the last accepted turn first.
type Receipts struct {
	Receipts []bellcord.Receipt `json:"receipts" nullable:"false"`
}

// EditTurn is the body of PATCH /v1/turns/{turn}. The turn must be queued. It
// keeps its task, and the text has the form that the task needs.
type EditTurn struct {
	Text string `json:"text" minLength:"1"`
}

// Stop is the body of every stop request. All fields are optional.
type Stop struct {
	Mode   string `json:"mode,omitempty" enum:"now,after_step,force"`
	Queue  string `json:"queue,omitempty" enum:"hold,drop,next" doc:"what happens to the turns queued behind a stopped one"`
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"reason to record"`
	Wait   string `json:"wait,omitempty" doc:"how long to wait for the receipt, such as 5s; default 10s, maximum 60s"`
}

// NothingToStop is the state of a stop that matched no turn.
const NothingToStop bellcord.StopState = "nothing_to_stop"

// Stopped is the response to a stop. State is the least advanced state of its
// turns: settled, work_ended (no work remains, the end is not durable yet),
// stopping, waiting_for_turn (there is no such turn yet; if it arrives within
// ten minutes, it ends without starting), already_ended, or nothing_to_stop.
type Stopped struct {
	State bellcord.StopState    `json:"state" enum:"settled,work_ended,stopping,waiting_for_turn,already_ended,nothing_to_stop"`
	Turns []bellcord.StopAnswer `json:"turns" nullable:"false" doc:"turns in the scope of the stop, the named one first"`
	// Recorded reports whether the stop survives a crash of the server. It is
	// false only if the store could not be written in time; the turns are
	// canceled in any case.
	Recorded bool `json:"recorded" doc:"the stop is recorded and survives a crash of the server; if false, retry"`
}

// NewStopped returns the response for the given results of a stop.
func NewStopped(turns []bellcord.StopAnswer) Stopped {
	s := Stopped{State: NothingToStop, Turns: append([]bellcord.StopAnswer{}, turns...)}
	for _, t := range turns {
		if slices.Index(farthestFirst, t.State) > slices.Index(farthestFirst, s.State) {
			s.State = t.State
		}
	}
	return s
}

// farthestFirst lists the states from the most to the least advanced.
var farthestFirst = []bellcord.StopState{
	NothingToStop, bellcord.StopStateAlreadyEnded, bellcord.StopStateSettled, bellcord.StopStateWaitingForTurn, bellcord.StopStateWorkEnded, bellcord.StopStateInProgress,
}

// Questions lists the open questions of a turn.
type Questions struct {
	Questions []bellcord.Question `json:"questions" nullable:"false"`
}

// Answer is the body of POST /v1/turns/{turn}/answers/{question}.
type Answer struct {
	Choice string                     `json:"choice" minLength:"1" doc:"id of one of the question's choices; for a question with fields or a URL: accept, decline or cancel"`
	Values map[string]json.RawMessage `json:"values,omitempty" doc:"with accept: values of the question's fields, by name"`
	Reason string                     `json:"reason,omitempty" maxLength:"2000" doc:"with a choice that rejects a call: why; the built-in agent passes it to the model"`
}

// Model is a model that sessions can use.
type Model struct {
	ID            string          `json:"id" doc:"provider/model"`
	ContextWindow int64           `json:"context_window,omitempty" doc:"context window in tokens"`
	Price         *bellcord.Price `json:"price,omitempty"`
	TextOnly      bool            `json:"text_only,omitempty" doc:"the model accepts no images"`
}

// Models lists the models; the first one is the default.
type Models struct {
	Models []Model `json:"models" nullable:"false"`
}

// Agent is an agent that sessions can use.
type Agent struct {
	Name      string `json:"name" doc:"empty for Bellcord's built-in agent"`
	Protocol  string `json:"protocol,omitempty"`
	Installed bool   `json:"installed"`
}

// Agents lists the agents.
type Agents struct {
	Agents []Agent `json:"agents" nullable:"false"`
}

// Node is one of the processes that share a store.
type Node struct {
	ID             string    `json:"id" doc:"id in the store; changes with every start"`
	Name           string    `json:"name"`
	Version        string    `json:"version"`
	Self           bool      `json:"self" doc:"true for the node that answered this request"`
	Started        time.Time `json:"started,omitzero"`
	LeaseAge       float64   `json:"lease_age_seconds" doc:"seconds since the node last renewed its lease"`
	LeaseRemaining float64   `json:"lease_remaining_seconds" doc:"seconds until other nodes may treat it as dead; negative if they already may"`
	NATSRoundTrip  float64   `json:"nats_round_trip_seconds" doc:"seconds the node takes to answer over NATS; 0 if it does not answer"`
	Draining       bool      `json:"draining" doc:"shutting down: the node gets no new turns"`
	Running        int       `json:"running" doc:"number of running turns"`
	Queued         int       `json:"queued" doc:"number of queued turns"`
}

// Nodes lists the nodes in the order they started.
type Nodes struct {
	Nodes []Node `json:"nodes" nullable:"false"`
}

// Usage is the usage of ended turns, by model.
type Usage struct {
	Turns  int                   `json:"turns"`
	Models []bellcord.ModelUsage `json:"models" nullable:"false"`
}

// Me is the identity of the caller as the server has authenticated it.
type Me struct {
	Owner  string   `json:"owner"`
	Scopes []string `json:"scopes" nullable:"false"`
}

// NewCode is the body of POST /v1/codes.
type NewCode struct {
	Scopes []string `json:"scopes,omitempty" enum:"read,prompt,stop,undo,admin" maxItems:"5" doc:"scopes of the login; default: all of yours except admin"`
}

// Code is a one-time code for logging in a browser without a token.
type Code struct {
	Code    string    `json:"code"`
	Expires time.Time `json:"expires"`
	URL     string    `json:"url,omitempty" doc:"address of the login page as reached from the server's machine"`
}

// Login is the body of POST /v1/login.
type Login struct {
	Code string `json:"code" minLength:"1"`
	Key  string `json:"key" minLength:"1" maxLength:"200" doc:"public key of the page: an uncompressed point of P-256, in base64url without padding; keep the private key where no script can read it"`
}

// Challenge is the response to GET /v1/challenge.
type Challenge struct {
	Challenge    string `json:"challenge" doc:"text that the page signs with its key, for the header Bellcord-Page"`
	ValidSeconds int    `json:"valid_seconds" doc:"how long requests with its signature are accepted; not after a restart of the server"`
}

// Logins is the response to GET /v1/logins.
type Logins struct {
	Others []OtherLogin `json:"others" nullable:"false" doc:"your other browser logins that are active, the oldest first"`
}

// OtherLogin is a browser login of the same owner.
type OtherLogin struct {
	Created time.Time `json:"created"`
	Used    time.Time `json:"used,omitzero" doc:"last use, to the minute"`
}

// RevokedLogins is the response to POST /v1/logins/revoke-others.
type RevokedLogins struct {
	Revoked int `json:"revoked" doc:"number of logins that were logged out"`
}

// Health is the response of /healthz and /readyz.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}
