package sqlite

import (
	"strconv"
	"strings"
)

// conditions are the conditions of a query that are needed. One that is always true,
// such as ($1 = ” OR session = $1), would hide an index from SQLite.
type conditions struct {
	text   string // each after AND
	values []any
}

// add adds a condition on a value, if it is needed. $ stands for the value.
func (c *conditions) add(needed bool, condition string, value any) {
	if !needed {
		return
	}
	c.values = append(c.values, value)
	c.text += " AND " + strings.ReplaceAll(condition, "$", "$"+strconv.Itoa(len(c.values)))
}
