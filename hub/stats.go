package hub

// Stats contains the counters of a hub.
type Stats struct {
	Sessions int // open sessions
	Running  int // running turns, including the waiting ones
	Waiting  int // turns that wait for a user's answer
	Queued   int
	Held     int
	Draining bool // the hub accepts no new turns
}
