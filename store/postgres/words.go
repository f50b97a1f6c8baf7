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

// word is a string of somebody else's on its way to the database and back. As
// text, PostgreSQL takes neither a zero byte nor what is not UTF-8, and one such
// word would fail a whole commit; it is written with escapes, and comes back as
// it was.
type word string

// escaped begins a word that is written with escapes. Nothing that people type
// begins with it; what does is escaped, too.
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

// encode writes one of the core's own values. Few can fail to be written, a time
// far out of range for instance; that is the op's own fault.
func encode(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("cannot encode %T: %w", v, err)
	}
	return string(data), nil
}

// encodeCause returns nil for no stop.
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
