// Package rules checks the requirements that each model API has for a
// conversation. It works on Bellcord's own messages: a history that passes can
// be converted to a request that the API accepts. Tests hold history.Repair to
// these rules.
package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
)

// Rule returns an error if one API would reject the conversation.
type Rule func([]bellcord.Message) error

// All maps the name of each API to its rule.
var All = map[string]Rule{
	"chat": Chat, "responses": Responses, "anthropic": Anthropic, "gemini": Gemini,
}

// Chat checks a conversation for OpenAI's Chat Completions API, as strictly as
// the strictest compatible server.
func Chat(history []bellcord.Message) error { return each(history, callNames(chatName)) }

// Responses checks a conversation for OpenAI's Responses API. It rejects a
// reasoning item without the item that followed it.
func Responses(history []bellcord.Message) error {
	return each(history, callNames(chatName), sealed, leadsToSomething)
}

// Anthropic checks a conversation for Anthropic's Messages API. It rejects
// thinking without a signature, and an answer that ends with thinking.
func Anthropic(history []bellcord.Message) error {
	return each(history, callNames(anthropicName), sealed, leadsToSomething)
}

// Gemini checks a conversation for the Gemini API. Tool names must begin with a
// letter or an underscore.
func Gemini(history []bellcord.Message) error {
	return each(history, callNames(geminiName), sealed)
}

var (
	chatName      = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	geminiName    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)
)

// each checks every message against the rules common to all APIs and against
// more.
func each(history []bellcord.Message, more ...func(bellcord.Message) error) error {
	if len(history) == 0 {
		return errors.New("the history is empty")
	}
	for i, m := range history {
		err := inPlace(history, i)
		if err == nil {
			err = content(m)
		}
		for _, rule := range more {
			if err == nil {
				err = rule(m)
			}
		}
		if err != nil {
			return fmt.Errorf("message %d (%s): %w", i, m.Role, err)
		}
	}
	if last := history[len(history)-1]; last.Role == bellcord.RoleAssistant {
		return errors.New("the last message is an assistant message")
	}
	return nil
}

// inPlace checks the order of messages: the first one is not the assistant's,
// every call is followed immediately by its result, results follow only calls,
// and no assistant message follows another one.
func inPlace(history []bellcord.Message, i int) error {
	m := history[i]
	switch m.Role {
	case bellcord.RoleUser:
		return nil
	case bellcord.RoleAssistant:
		if i == 0 {
			return errors.New("an assistant message comes first")
		}
		if history[i-1].Role == bellcord.RoleAssistant {
			return errors.New("an assistant message follows another one")
		}
		return checkAnswered(m.Calls, history[i+1:])
	case bellcord.RoleTool:
		from := i
		for from > 0 && history[from-1].Role == bellcord.RoleTool {
			from--
		}
		if from == 0 || history[from-1].Role != bellcord.RoleAssistant || i-from >= len(history[from-1].Calls) {
			return fmt.Errorf("result for call %q, which was not made before it", m.Call)
		}
		return nil
	}
	return errors.New("unknown role")
}

func checkAnswered(calls []bellcord.CallRequest, after []bellcord.Message) error {
	seen := map[string]bool{}
	for i, c := range calls {
		var args map[string]json.RawMessage
		switch {
		case c.ID == "" || seen[c.ID]:
			return fmt.Errorf("call id %q is empty or a duplicate", c.ID)
		case json.Unmarshal(c.Arguments, &args) != nil || args == nil:
			return fmt.Errorf("call %q: the arguments are not a complete object", c.ID)
		case i >= len(after) || after[i].Role != bellcord.RoleTool || after[i].Call != c.ID || after[i].Name != c.Name:
			return fmt.Errorf("call %q has no result in the right place", c.ID)
		}
		seen[c.ID] = true
	}
	return nil
}

// content rejects empty messages, which no API accepts.
func content(m bellcord.Message) error {
	hasText := strings.TrimSpace(m.Text) != ""
	switch {
	case m.Role == bellcord.RoleUser && !hasText && len(m.Images) == 0,
		m.Role == bellcord.RoleTool && !hasText,
		m.Role == bellcord.RoleAssistant && !hasText && len(m.Calls) == 0:
		return errors.New("the message is empty")
	}
	return nil
}

func callNames(allowed *regexp.Regexp) func(bellcord.Message) error {
	return func(m bellcord.Message) error {
		if i := slices.IndexFunc(m.Calls, func(c bellcord.CallRequest) bool { return !allowed.MatchString(c.Name) }); i >= 0 {
			return fmt.Errorf("invalid tool name %q", m.Calls[i].Name)
		}
		return nil
	}
}

// sealed rejects thinking without a signature: it was not finished and cannot
// be sent back.
func sealed(m bellcord.Message) error {
	for _, t := range m.Thinking {
		if len(t.Signature) == 0 {
			return errors.New("thinking without a signature")
		}
		if t.At < 0 || t.At > len(m.Text) {
			return errors.New("thinking at a position outside the text")
		}
	}
	return nil
}

// leadsToSomething rejects thinking that is not followed by text or a call.
func leadsToSomething(m bellcord.Message) error {
	for _, t := range m.Thinking {
		if len(m.Calls) == 0 && strings.TrimSpace(m.Text[t.At:]) == "" {
			return errors.New("nothing follows the thinking")
		}
	}
	return nil
}
