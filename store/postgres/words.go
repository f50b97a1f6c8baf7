package postgres

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/bellcord/bellcord"
)

// word is a string from outside the store. PostgreSQL accepts neither zero bytes
// nor invalid UTF-8 as text, and one such string would fail a whole commit. A
// word is escaped when it is written and restored when it is read.
type word string

// escaped is the prefix of an escaped word. A word that starts with it is always
// escaped.
const escaped = "\x01"

func textOf[S ~string](s S) string {
	if utf8.ValidString(string(s)) && !strings.Contains(string(s), "\x00") && !strings.HasPrefix(string(s), escaped) {
		return string(s)
	}
	return escaped + strconv.QuoteToASCII(string(s))
}

// TextValue implements pgtype.TextValuer.
func (w word) TextValue() (pgtype.Text, error) {
	return pgtype.Text{String: textOf(w), Valid: true}, nil
}

// ScanText implements pgtype.TextScanner.
func (w *word) ScanText(v pgtype.Text) error {
	quoted, is := strings.CutPrefix(v.String, escaped)
	if !is {
		*w = word(v.String)
		return nil
	}
	plain, err := strconv.Unquote(quoted)
	*w = word(plain)
	return err
}

// encode returns the JSON of a core value, as valid UTF-8: JSON within the value
// may contain any bytes. It fails only for rare values such as a time out of
// range, and then only the op of the value is rejected.
func encode(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("cannot encode %T: %w", v, err)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}

// encodeCause returns nil pointers if c is nil.
func encodeCause(c *bellcord.Cause) (cause, mode *string, err error) {
	if c == nil {
		return nil, nil, nil
	}
	text, err := encode(c)
	how := textOf(c.Mode)
	return &text, &how, err
}

func decodeCause(text *string) (*bellcord.Cause, error) {
	if text == nil {
		return nil, nil
	}
	var c bellcord.Cause
	err := json.Unmarshal([]byte(*text), &c)
	return &c, err
}
