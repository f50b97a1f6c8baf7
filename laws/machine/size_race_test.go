//go:build race

package machine_test

// Fewer steps under the race detector: there is only one goroutine, so it has
// nothing to find.
const (
	manySteps        = 400_000
	stepsPerMutation = 4_000_000
)
