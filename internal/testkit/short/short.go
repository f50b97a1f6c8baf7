// Package short leaves out tests when the short ones are run.
package short

import "testing"

// Skip skips a test that takes long or repeats its scene many times, if only the short
// tests are run (-short). make all and .ci/run run it.
func Skip(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out with -short")
	}
}
