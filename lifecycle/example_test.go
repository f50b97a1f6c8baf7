package lifecycle_test

import (
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

// The first of two stops applies, unless it waits for the end of a step and the other
// does not.
func ExamplePrevailing() {
	at := time.Now()
	gentle := bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Mode: bellcord.StopAfterStep, At: at}
	now := bellcord.Cause{Kind: bellcord.CausePerson, By: "ben", At: at.Add(time.Second)}
	later := bellcord.Cause{Kind: bellcord.CausePerson, By: "cleo", At: at.Add(2 * time.Second)}
	fmt.Println(lifecycle.Prevailing(&gentle, &now).By)
	fmt.Println(lifecycle.Prevailing(&now, &later).By)
	// Output:
	// ben
	// ben
}

// A turn's prompt has its limits.
func ExampleExceeded() {
	prompt := bellcord.Prompt{MaxTokens: 1000}
	fmt.Printf("%q\n", lifecycle.Exceeded(prompt, bellcord.Usage{InputTokens: 900}, bellcord.Usage{}))
	fmt.Println(lifecycle.Exceeded(prompt, bellcord.Usage{InputTokens: 900, OutputTokens: 200}, bellcord.Usage{}))
	// Output:
	// ""
	// the turn's budget of 1000 tokens is used up
}
