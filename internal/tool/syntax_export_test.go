package tool

import (
	"time"
)

// LimitChecks sets the time for the syntax checks of the tools of Builtin.
func LimitChecks(tools []Tool, limit time.Duration) {
	tools[0].checker.limit, tools[0].checker.serverLimit = limit, limit
}
