package bellcord

import (
	"time"
)

// QueueEntry is the state of an unsettled turn in the queue of its session.
type QueueEntry struct {
	Turn        TurnID     `json:"turn"`
	Position    int        `json:"queue_position"` // 0 for the running turn
	Text        string     `json:"text"`           // current text of the prompt
	State       TurnState  `json:"state"`
	Held        bool       `json:"held,omitempty"`
	StopRequest *Cause     `json:"stop_request,omitempty"`
	Questions   []Question `json:"questions,omitempty"`
}

// Stats contains the counters of a hub.
type Stats struct {
	Sessions int // open sessions
	Running  int // running turns, including the waiting ones
	Waiting  int // turns that wait for a user's answer
	Queued   int
	Held     int
	Draining bool // the hub accepts no new turns
}

// Commit describes one commit: the number of ops, its duration, and the events
// that became durable.
type Commit struct {
	Ops    int
	Took   time.Duration
	Events []Event
}
