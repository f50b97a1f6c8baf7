package lifecycle

import "github.com/bellcord/bellcord"

// SameReceipt reports whether a turn has ended with the receipt of a FinishTurn.
// The head of the log is not compared: the store adds it.
func SameReceipt(stored *bellcord.Receipt, op bellcord.Receipt) bool {
	if stored == nil {
		return false
	}
	ended := *stored
	ended.LogHead, op.LogHead = nil, nil
	return ended.Equal(op)
}
