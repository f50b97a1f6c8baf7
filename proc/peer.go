package proc

import (
	"errors"
	"fmt"
)

// ErrNoPeer means that the process at the other end of a connection cannot be
// identified: it has exited, or it runs in another process namespace.
var ErrNoPeer = errors.New("the process at the other end cannot be identified")

// TurnError means that a process came from a command of a turn.
type TurnError struct {
	PID  int
	Turn string // Owner of the command, "" if it cannot be determined
}

// Error names the process and, if it is set, the turn.
func (e *TurnError) Error() string {
	if e.Turn == "" {
		return fmt.Sprintf("process %d was started by a turn", e.PID)
	}
	return fmt.Sprintf("process %d was started by turn %s", e.PID, e.Turn)
}
