package llm

import (
	"errors"
	"fmt"
)

var errNameless = errors.New("the model called a tool without a name")

// Identify makes the ids of calls unique, in place. A call without an id gets
// one made of prefix and its position; an empty prefix stands for the tool's
// name. A call without a tool name is an error.
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
