//go:build !race

package machine_test

// manySteps is how many steps the rules have to hold for; stepsPerMutation how
// many a mutation may take to be caught.
const (
	manySteps        = 10_000_000
	stepsPerMutation = 20_000_000
)
