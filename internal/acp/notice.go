package acp

// Notice informs the user once. It is not part of the conversation. A client
// that shows notices has the capability session.notices.
type Notice struct {
	Severity    NoticeSeverity `json:"severity"`
	Title       string         `json:"title"`
	Description string         `json:"description,omitzero"`
}

// NoticeSeverity is how serious a notice is.
type NoticeSeverity string

// The severities.
const (
	NoticeInfo    NoticeSeverity = "info"
	NoticeWarning NoticeSeverity = "warning"
	NoticeError   NoticeSeverity = "error"
)

// CompactionUpdate reports a compaction of the conversation. A client that shows
// compactions has the capability session.compaction.
type CompactionUpdate struct {
	CompactionID string           `json:"compactionId"`
	Status       CompactionStatus `json:"status"`
	Summary      []ContentBlock   `json:"summary,omitzero"`
}

// CompactionStatus is the state of a compaction.
type CompactionStatus string

// The states of a compaction.
const (
	CompactionInProgress CompactionStatus = "in_progress"
	CompactionCompleted  CompactionStatus = "completed"
	CompactionFailed     CompactionStatus = "failed"
	CompactionCancelled  CompactionStatus = "cancelled"
)
