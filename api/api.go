// Package api is what a Bellcord server and its clients say to each other over
// HTTP: the bodies of requests and answers under /v1. Words that the core has
// (receipts, events, questions) are the core's own.
package api

import (
	"slices"
	"time"

	"github.com/bellcord/bellcord"
)

// NewSession is the body of POST /v1/sessions. What is empty is the server's
// default.
type NewSession struct {
	Dir   string `json:"dir,omitempty" doc:"absolute directory to work in; empty for one of the session's own. Naming one needs the scope admin"`
	Title string `json:"title,omitempty" maxLength:"200"`
	Agent string `json:"agent,omitempty" doc:"one of GET /v1/agents; empty for the server's default"`
	Model string `json:"model,omitempty" doc:"provider/model"`
	Mode  string `json:"mode,omitempty" enum:"read-only,ask,auto-edit,full"`
}

// SessionChange is the body of PATCH /v1/sessions/{session}: what is given
// changes, a running turn keeps what it started with.
type SessionChange struct {
	Title string `json:"title,omitempty" maxLength:"200"`
	Model string `json:"model,omitempty"`
	Mode  string `json:"mode,omitempty" enum:"read-only,ask,auto-edit,full"`
}

// Session is a session with the turns in it that have not ended.
type Session struct {
	bellcord.Session
	Turns []Turn `json:"turns,omitempty" doc:"those that have not ended, in order"`
}

// Sessions is a page of sessions, the most recently updated first.
type Sessions struct {
	Sessions []bellcord.Session `json:"sessions"`
	Next     string             `json:"next,omitempty" doc:"give it as ?before= for the next page; empty at the end"`
}

// NewTurn is the body of POST /v1/sessions/{session}/turns.
type NewTurn struct {
	ID           string           `json:"id,omitempty" format:"uuid" doc:"an id of your own, so that a stop can be sent before, with or after the prompt"`
	Text         string           `json:"text" minLength:"1"`
	Images       []bellcord.Image `json:"images,omitempty"`
	Links        []bellcord.Link  `json:"links,omitempty"`
	Policy       string           `json:"policy,omitempty" enum:"queue,reject,replace" doc:"when another turn runs: wait behind it (default), refuse, or stop it and run this instead"`
	OnDisconnect string           `json:"on_disconnect,omitempty" enum:"continue,stop" doc:"stop: the turn is stopped once nobody has watched its session for ten seconds; the default goes on"`
	Deadline     string           `json:"deadline,omitempty" doc:"longest the turn may run, as in 90s"`
	Steps        int              `json:"steps,omitempty" minimum:"0" doc:"most model requests"`
	Budget       Budget           `json:"budget,omitzero"`
}

// Budget of a turn; 0 means that there is none beyond the server's.
type Budget struct {
	Tokens  int64   `json:"tokens,omitempty" minimum:"0"`
	Dollars float64 `json:"dollars,omitempty" minimum:"0"`
}

// TurnState is the word for where a turn is, the same everywhere.
type TurnState string

// The states of a turn that has not ended; the others are its ends.
const (
	Queued   TurnState = "queued"
	Running  TurnState = "running"
	Waiting  TurnState = "waiting" // for a person: see its questions
	Stopping TurnState = "stopping"
)

// Turn is one prompt and everything done for it.
type Turn struct {
	ID        bellcord.TurnID     `json:"id"`
	Session   bellcord.SessionID  `json:"session"`
	State     TurnState           `json:"state" doc:"queued, running, waiting (for a person), stopping, done, stopped, failed or lost"`
	Held      bool                `json:"held,omitempty" doc:"a stop of the turn before it holds it back: send it, edit it or discard it"`
	Text      string              `json:"text"`
	Accepted  time.Time           `json:"accepted"`
	Node      string              `json:"node,omitempty" doc:"the process that has it, as the store calls it: see GET /v1/nodes"`
	First     int64               `json:"first" doc:"sequence number of its first event; watch with ?after= one less to see all of the turn"`
	Stop      *bellcord.Cause     `json:"stop,omitempty" doc:"the stop on record"`
	Questions []bellcord.Question `json:"questions,omitempty" doc:"open ones: the turn waits for an answer"`
	Receipt   *bellcord.Receipt   `json:"receipt,omitempty" doc:"once ended"`

	Answer *bellcord.TurnAnswer `json:"answer,omitempty" doc:"with ?include=answer: what the agent said and asked for until now, or until the end"`
}

// Turns is a list of turns.
type Turns struct {
	Turns []Turn `json:"turns"`
}

// EditTurn is the body of PATCH /v1/turns/{turn}, for one that still waits.
type EditTurn struct {
	Text string `json:"text" minLength:"1"`
}

// Stop is the body of every stop. All of it is optional.
type Stop struct {
	Mode  string `json:"mode,omitempty" enum:"now,after_step,force"`
	Queue string `json:"queue,omitempty" enum:"hold,drop,next" doc:"the fate of the turns that wait behind a stopped one"`
	Why   string `json:"why,omitempty" maxLength:"500" doc:"for the record"`
	Wait  string `json:"wait,omitempty" doc:"how long to wait for the receipt, as in 5s; 10s by default, at most 60s"`
}

// NothingToStop is the state of a stop that found nothing.
const NothingToStop bellcord.StopState = "nothing"

// Stopped answers a stop. State is that of the turn that is least far: settled,
// stopped (no work remains, the end is on its way to the record), stopping, kept
// (there is no such turn yet; should it come within ten minutes,
// it is born stopped), already_ended, or nothing (there was nothing to stop).
type Stopped struct {
	State bellcord.StopState    `json:"state" enum:"settled,stopped,stopping,kept,already_ended,nothing"`
	Turns []bellcord.StopAnswer `json:"turns" doc:"the turns in the stop's scope; the one that was named first"`
	// Recorded says that the stop survives the server. It is false only where the
	// store could not be written in time; the turns have been told all the same.
	Recorded bool `json:"recorded" doc:"the stop is on record and survives the server; if false, ask again"`
}

// NewStopped sums up what a stop did to each of its turns.
func NewStopped(turns []bellcord.StopAnswer) Stopped {
	s := Stopped{State: NothingToStop, Turns: append([]bellcord.StopAnswer{}, turns...)}
	for _, t := range turns {
		if slices.Index(farthestFirst, t.State) > slices.Index(farthestFirst, s.State) {
			s.State = t.State
		}
	}
	return s
}

// farthestFirst are the states in the order of what is left to do.
var farthestFirst = []bellcord.StopState{
	NothingToStop, bellcord.StopStateAlreadyEnded, bellcord.StopStateSettled, bellcord.StopStateWaitingForTurn, bellcord.StopStateWorkEnded, bellcord.StopStateInProgress,
}

// Questions is what a turn waits for.
type Questions struct {
	Questions []bellcord.Question `json:"questions"`
}

// Answer is the body of POST /v1/turns/{turn}/answers/{question}.
type Answer struct {
	Choice string `json:"choice" minLength:"1" doc:"the id of one of the question's choices"`
}

// Model is one that sessions can use.
type Model struct {
	ID     string          `json:"id" doc:"provider/model"`
	Window int64           `json:"window,omitempty" doc:"tokens of context"`
	Price  *bellcord.Price `json:"price,omitempty"`
}

// Models lists them; the first is the default.
type Models struct {
	Models []Model `json:"models"`
}

// Agent is one that sessions can use.
type Agent struct {
	Name      string `json:"name" doc:"empty for Bellcord's own"`
	Protocol  string `json:"protocol,omitempty"`
	Installed bool   `json:"installed"`
}

// Agents lists them.
type Agents struct {
	Agents []Agent `json:"agents"`
}

// Node is one of the processes that share a store.
type Node struct {
	ID       string    `json:"id" doc:"as the store calls it; another after each start"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Self     bool      `json:"self" doc:"it is the one that answers"`
	Started  time.Time `json:"started,omitzero"`
	Heard    float64   `json:"heard" doc:"seconds since it last renewed its lease"`
	Lease    float64   `json:"lease" doc:"seconds until the others may take it for dead; less than 0: they may"`
	Bus      float64   `json:"bus" doc:"seconds that it takes to answer over NATS; 0 where it does not"`
	Draining bool      `json:"draining" doc:"it takes leave, and gets nothing new"`
	Running  int       `json:"running" doc:"turns"`
	Queued   int       `json:"queued"`
}

// Nodes lists them, in the order they started.
type Nodes struct {
	Nodes []Node `json:"nodes"`
}

// Usage is what ended turns used, by model.
type Usage struct {
	Turns  int                   `json:"turns"`
	Models []bellcord.ModelUsage `json:"models"`
}

// Me is who the server takes the caller for.
type Me struct {
	Owner  string   `json:"owner"`
	Scopes []string `json:"scopes"`
}

// NewCode is the body of POST /v1/codes.
type NewCode struct {
	Scopes []string `json:"scopes,omitempty" enum:"read,prompt,stop,admin" maxItems:"4" doc:"of the login; without them it has all of yours but admin"`
}

// Code is a one-time code with which a browser that has no token logs in.
type Code struct {
	Code    string    `json:"code"`
	Expires time.Time `json:"expires"`
	URL     string    `json:"url,omitempty" doc:"of the page that takes it, as this machine reaches it"`
}

// Login is the body of POST /v1/login.
type Login struct {
	Code string `json:"code" minLength:"1"`
}

// LoggedIn answers POST /v1/login. The cookie comes with it, as a header.
type LoggedIn struct {
	Page string `json:"page" doc:"secret of the page, shown this once: keep it in the storage of the origin and send it as the header Bellcord-Page with the cookie"`
}

// Health answers /healthz and /readyz.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}
