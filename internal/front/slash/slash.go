// Package slash decides whether a message that begins with a slash is a command
// of the front, text for the model, or a mistake. All fronts use it, so a
// command of Bellcord never reaches a model.
package slash

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/bellcord/bellcord/internal/nearest"
)

// Commands are the names of a front's commands, without the slash.
type Commands []string

// Command is a recognized command and the rest of its message.
type Command struct {
	Name string
	Rest string
}

// UnknownError reports a message that begins like a command but names no
// existing one.
type UnknownError struct {
	Name    string // as written, without the slash
	Nearest string // the command that was probably meant; may be empty
}

// Error implements error.
func (e *UnknownError) Error() string {
	hint := "see /help"
	if e.Nearest != "" {
		hint = "did you mean /" + e.Nearest + "?"
	}
	return fmt.Sprintf("unknown command /%s (%s); to send it as text, write //%s", e.Name, hint, e.Name)
}

// Parse returns the command in a message, or else the text to send. A message
// is text if it does not begin with a slash and a letter, or if it begins with
// a path such as /etc/hosts. If it begins with two slashes, the first is
// removed. In a session of a hosted agent an unknown command is text, because
// it may be a command of the agent. Elsewhere it is an *UnknownError.
func (known Commands) Parse(message string, hosted bool) (*Command, string, error) {
	if rest, doubled := strings.CutPrefix(message, "//"); doubled {
		return nil, "/" + rest, nil
	}
	after, slashed := strings.CutPrefix(message, "/")
	name, rest := after, ""
	if blank := strings.IndexFunc(after, unicode.IsSpace); blank >= 0 {
		name, rest = after[:blank], after[blank:]
	}
	if !slashed || !isWord(name) {
		return nil, message, nil
	}
	for _, c := range known {
		if strings.EqualFold(c, name) {
			return &Command{Name: c, Rest: strings.TrimSpace(rest)}, "", nil
		}
	}
	if hosted {
		return nil, message, nil
	}
	return nil, "", &UnknownError{Name: name, Nearest: nearest.Name(name, known)}
}

// isWord reports whether a name could be a command: it starts with a letter and
// contains no slash.
func isWord(name string) bool {
	for _, first := range name {
		return unicode.IsLetter(first) && !strings.Contains(name, "/")
	}
	return false
}

// Words splits the rest of a command at its spaces. Quotes, single or double, keep
// the spaces of a word.
func Words(rest string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	inside := false
	for _, r := range rest {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inside = r, true
		case quote == 0 && unicode.IsSpace(r):
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	if inside {
		words = append(words, word.String())
	}
	return words
}
