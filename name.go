package bellcord

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of names in bytes. Databases limit the length of an index entry, and
// every list shows names.
const (
	MaxName  = 256  // of a model, an owner, an agent, a mode, a tool, or the id of a call
	MaxTitle = 1024 // of a session or a call
)

// CheckName returns an error that matches ErrRejected if a name is longer than
// MaxName, is not valid UTF-8 or contains a zero byte. what describes the name.
func CheckName(what, name string) error { return checkText(what, name, MaxName) }

// CheckTitle is CheckName for a title.
func CheckTitle(what, title string) error { return checkText(what, title, MaxTitle) }

func checkText(what, text string, limit int) error {
	switch {
	case len(text) > limit:
		return fmt.Errorf("%w: %s has %d bytes, more than %d", ErrRejected, what, len(text), limit)
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return fmt.Errorf("%w: %s is not valid UTF-8 text", ErrRejected, what)
	}
	return nil
}

// ValidName returns the name if CheckName accepts it, and otherwise a similar
// name that ends with a hash of the given one, so that different names stay
// different.
func ValidName(name string) string {
	if CheckName("", name) == nil {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	end := "~" + hex.EncodeToString(sum[:8])
	return cutText(validText(name), MaxName-len(end)) + end
}

// ValidTitle returns the title if CheckTitle accepts it, and otherwise the valid
// part of its beginning.
func ValidTitle(title string) string { return cutText(validText(title), MaxTitle) }

func validText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// cutText returns the first bytes of a valid text, without a partial character at
// the end.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
