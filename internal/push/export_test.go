package push

import "time"

// SetRetryDelays sets the delays between the requests for a message. Call it
// before Start.
func (n *Notifier) SetRetryDelays(d ...time.Duration) { n.retries = d }

// MostWaiting is the size of the queue.
const MostWaiting = mostWaiting
