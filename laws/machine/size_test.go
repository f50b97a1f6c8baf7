//go:build !race

package machine_test

// manySteps is the number of steps for which the rules must hold.
// stepsPerMutation is the number of steps within which a mutation must be
// detected.
const (
	manySteps        = 10_000_000
	stepsPerMutation = 20_000_000
)
