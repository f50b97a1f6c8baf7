//go:build race

package machine_test

// Fewer under the race detector: there is one goroutine, and nothing for it to
// find.
const (
	manySteps        = 400_000
	stepsPerMutation = 4_000_000
)
