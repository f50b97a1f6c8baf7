//go:build unix

package main

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
)

// dependsOnMachine are the settings whose default is different on each machine, so that the reference
// describes it.
var dependsOnMachine = []string{"data_dir", "cluster.node_name"}

// note is the comment of a setting: a description and, in parentheses at the end, what applies if it
// is unset, or whether it is required, and the environment variables that set it.
type note struct {
	text, unset, required string
	env                   []string
}

// noteParts matches the parentheses at the end of a comment.
var noteParts = regexp.MustCompile(`^(.*) \(((?:unset: |required|env ).*)\)$`)

func parseNote(t *testing.T, key, comment string) note {
	t.Helper()
	n := note{text: comment}
	if m := noteParts.FindStringSubmatch(comment); m != nil {
		n.text = m[1]
		for part := range strings.SplitSeq(m[2], "; ") {
			switch name, rest, _ := strings.Cut(part, " "); name {
			case "unset:":
				n.unset = withConstants(t, rest)
			case "required":
				n.required = part
			case "env":
				n.env = environmentName.FindAllString(rest, -1)
				n.text += ". Environment: " + environmentName.ReplaceAllString(rest, "`$0`")
			default:
				t.Errorf("%s: the comment has %q: use unset, required or env", key, part)
			}
		}
	}
	if len(strings.Fields(n.text)) < 2 || strings.Contains(n.text, "default") {
		t.Errorf("%s: the comment %q is no description: describe the setting, and leave its default to config.Defaults", key, comment)
	}
	return n
}

var (
	environmentName = regexp.MustCompile(`[A-Z]+(?:_[A-Z]+)+`)
	constantName    = regexp.MustCompile(`\[(\w+\.\w+)\]`)
)

// withConstants replaces the names of constants in brackets with the values that the program uses.
func withConstants(t *testing.T, text string) string {
	t.Helper()
	return constantName.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := map[string]any{
			"[anthropic.DefaultMaxTokens]":    anthropic.DefaultMaxTokens,
			"[anthropic.MinAnswerTokens]":     anthropic.MinAnswerTokens,
			"[auth.DefaultClaim]":             auth.DefaultClaim,
			"[auth.DefaultScopes]":            auth.DefaultScopes,
			"[config.AnthropicContextWindow]": config.AnthropicContextWindow,
			"[config.GeminiContextWindow]":    config.GeminiContextWindow,
			"[config.OtherContextWindow]":     config.OtherContextWindow,
		}[name]
		if !ok {
			t.Errorf("there is no constant %s", name)
		}
		if scopes, ok := value.([]bellcord.Scope); ok {
			return strings.Trim(strings.ReplaceAll(fmt.Sprint(scopes), " ", ", "), "[]")
		}
		return fmt.Sprint(value)
	})
}

// code matches the parts of a description that are not English: values in quotes, names of settings and
// sections, commands and URLs.
var code = regexp.MustCompile("`[^`]*`" + `|"[^"]*"|\b[a-z]+(?:_[a-z]+)+\b|\[[a-z_]+\]|bellcord (?:agents|models|chat|serve|telegram approve)\b|\b(?:postgres|tls)://[^\s.)]+`)

// asCode puts the parts of a text that are not English in backquotes.
func asCode(text string) string {
	return code.ReplaceAllStringFunc(text, func(part string) string { return "`" + strings.Trim(part, "`") + "`" })
}

// description returns the description as a sentence.
func (n note) description() string {
	first, size := utf8.DecodeRuneInString(n.text)
	if strings.HasPrefix(n.text, "https ") || strings.HasPrefix(n.text, "host:port") {
		return n.text + "."
	}
	return string(unicode.ToUpper(first)) + n.text[size:] + "."
}

// standard returns the default as the reference shows it: the value of config.Defaults, or the note's
// text for a setting without one.
func (n note) standard(t *testing.T, key string, value reflect.Value) string {
	t.Helper()
	onMachine := slices.Contains(dependsOnMachine, key)
	switch hasText := n.unset != "" || n.required != ""; {
	case hasText && !value.IsZero() && !onMachine:
		t.Errorf("%s: the comment describes a default, but config.Defaults has %v", key, value)
	case hasText:
		return asCode(cmp.Or(n.unset, n.required))
	}
	switch value.Kind() {
	case reflect.Bool, reflect.Int, reflect.Float64:
		return fmt.Sprintf("`%v`", value)
	case reflect.Int64:
		if d, ok := value.Interface().(config.Duration); ok {
			return "`\"" + shortDuration(time.Duration(d)) + "\"`"
		}
		return fmt.Sprintf("`%v`", value)
	case reflect.Slice, reflect.Map:
		if value.Len() == 0 {
			return "none"
		}
	case reflect.String:
		if value.String() != "" {
			return fmt.Sprintf("`%q`", value)
		}
	default:
	}
	t.Errorf("%s: has no default: add (unset: …) or (required) to its comment", key)
	return ""
}

// shortDuration formats a duration without units that are 0: 30m instead of 30m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
