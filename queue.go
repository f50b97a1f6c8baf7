package bellcord

// TurnState is the state of a turn in the store.
type TurnState string

// The stored states.
const (
	StateQueued  TurnState = "queued"
	StateRunning TurnState = "running"
	StateEnded   TurnState = "ended"
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
