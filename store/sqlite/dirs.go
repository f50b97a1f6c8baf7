package sqlite

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
)

// dirList is a list of directories in a column: a JSON array, or "" if it is
// empty.
type dirList []string

// Value implements driver.Valuer.
func (d dirList) Value() (driver.Value, error) {
	if len(d) == 0 {
		return "", nil
	}
	text, err := json.Marshal([]string(d))
	return string(text), err
}

// Scan implements sql.Scanner.
func (d *dirList) Scan(column any) error {
	text, is := column.(string)
	if !is {
		return fmt.Errorf("the column has the type %T, not TEXT", column)
	}
	if *d = nil; text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), (*[]string)(d))
}
