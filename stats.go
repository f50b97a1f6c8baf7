package bellcord

import (
	"time"
)

// QueueEntry is the state of an unsettled turn in the queue of its session.
type QueueEntry struct {
	Turn      TurnID     `json:"turn"`
	Position  int        `json:"queue_position"` // 0 for the running turn
	Text      string     `json:"text"`           // of the prompt, as it is now
	State     TurnState  `json:"state"`
	Held      bool       `json:"held,omitempty"`
	Stop      *Cause     `json:"stop_request,omitempty"`
	Questions []Question `json:"questions,omitempty"`
}

// Stats counts what a hub has.
type Stats struct {
	Sessions int // open
	Running  int // turns, the waiting ones among them
	Waiting  int // for a person
	Queued   int
	Held     int
	Draining bool // nothing more is accepted
}

// Commit is what became durable at once.
type Commit struct {
	Ops    int
	Took   time.Duration
	Events []Event
}
