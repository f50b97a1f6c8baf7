package llm

import (
	"errors"
	"fmt"
)

var errNameless = errors.New("the model called a tool without a name")

// Identify gives each of a reply's calls an id that no other of them has; one
// that came without is named after prefix, or after its tool where that is "".
func Identify(calls []Call, prefix string) error {
	taken := map[string]bool{}
	for i := range calls {
		c := &calls[i]
		if c.Name == "" {
			return errNameless
		}
		if c.ID == "" {
			c.ID = fmt.Sprintf("%s_%d", orDefault(prefix, c.Name), i)
		}
		for taken[c.ID] {
			c.ID = fmt.Sprintf("%s_%d", c.ID, i)
		}
		taken[c.ID] = true
	}
	return nil
}
