package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	messagesToolName = newPattern(`^[a-zA-Z0-9_-]{1,128}$`)
	messagesCallID   = newPattern(`^[a-zA-Z0-9_-]+$`)
)

// ValidateMessages checks the body of a request to Anthropic's Messages API. It
// is stricter than the API where clients do not need the API's leniency: roles
// must alternate, the last message must be the user's, and results must not be
// empty. The error contains the position and the reason.
func ValidateMessages(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("request: is not valid utf-8")
	}
	top, err := object(body)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if err := onlyFields(top, "model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "stream",
		"stop_sequences", "temperature", "top_k", "top_p", "metadata", "service_tier", "output_config"); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if err := checkText(top["model"]); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	var stream bool
	if raw, given := top["stream"]; given && (json.Unmarshal(raw, &stream) != nil || isNull(raw)) {
		return errors.New("stream: is not true or false")
	}
	v := messagesCheck{ids: map[string]bool{}}
	for _, check := range []func(map[string]json.RawMessage) error{
		v.checkThinking, checkOutputConfig, v.checkSystem, v.checkTools, v.checkMessages, v.checkTurn,
	} {
		if err := check(top); err != nil {
			return err
		}
	}
	if v.breakpoints > 4 {
		return fmt.Errorf("cache_control: at most 4 blocks may have it, found %d", v.breakpoints)
	}
	return nil
}

// messagesCheck is the state of the check.
type messagesCheck struct {
	thinking    string // enabled | adaptive | disabled, "" if not set
	breakpoints int    // blocks with cache_control
	ids         map[string]bool
	open        []string // ids of the calls that require a result in the next message
	messages    []messageParts
}

// messageParts contains the parts of a message that the rules for thinking
// depend on.
type messageParts struct {
	role  string
	kinds []string // of its blocks
}

func onlyFields(holder map[string]json.RawMessage, known ...string) error {
	for _, key := range sortedKeys(holder) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("field %q is not permitted", key)
		}
	}
	return nil
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func wholeNumber(raw json.RawMessage) (int64, error) {
	var n int64
	switch {
	case len(raw) == 0:
		return 0, errors.New("is missing")
	case isNull(raw) || json.Unmarshal(raw, &n) != nil:
		return 0, errors.New("is not a whole number")
	}
	return n, nil
}

func (v *messagesCheck) checkSystem(top map[string]json.RawMessage) error {
	raw, given := top["system"]
	if !given {
		return nil
	}
	if !strings.HasPrefix(strings.TrimSpace(string(raw)), "[") {
		if err := checkText(raw); err != nil {
			return fmt.Errorf("system: %w", err)
		}
		return nil
	}
	blocks, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("system: %w", err)
	}
	for i, raw := range blocks {
		block, err := object(raw)
		if err == nil {
			err = v.checkBlock(block, "text")
		}
		if err != nil {
			return fmt.Errorf("system[%d]: %w", i, err)
		}
	}
	return nil
}

func (v *messagesCheck) checkTools(top map[string]json.RawMessage) error {
	raw, given := top["tools"]
	if !given {
		return nil
	}
	tools, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	seen := map[string]bool{}
	for i, raw := range tools {
		name, err := v.checkTool(raw)
		if err == nil && seen[name] {
			err = fmt.Errorf("name %q is a duplicate", name)
		}
		if err != nil {
			return fmt.Errorf("tools[%d]: %w", i, err)
		}
		seen[name] = true
	}
	return nil
}

func (v *messagesCheck) checkTool(raw json.RawMessage) (string, error) {
	tool, err := object(raw)
	if err != nil {
		return "", err
	}
	if err := onlyFields(tool, "name", "description", "input_schema", "cache_control", "type"); err != nil {
		return "", err
	}
	if kind, given := tool["type"]; given && stringValue(kind) != "custom" {
		return "", errors.New("type is not custom")
	}
	name := stringValue(tool["name"])
	if !messagesToolName.MatchString(name) {
		return "", fmt.Errorf("name %q does not match %s", name, messagesToolName)
	}
	if raw, given := tool["description"]; given && checkText(raw) != nil {
		return "", errors.New("description is empty or not a string")
	}
	schema, err := object(tool["input_schema"])
	if err != nil {
		return "", fmt.Errorf("input_schema: %w", err)
	}
	if stringValue(schema["type"]) != "object" {
		return "", errors.New("input_schema: type is not object")
	}
	return name, v.checkCache(tool)
}

// checkCache checks and counts a block's cache_control, if it has one.
func (v *messagesCheck) checkCache(block map[string]json.RawMessage) error {
	raw, given := block["cache_control"]
	if !given {
		return nil
	}
	control, err := object(raw)
	if err != nil {
		return fmt.Errorf("cache_control: %w", err)
	}
	if err := onlyFields(control, "type", "ttl"); err != nil {
		return fmt.Errorf("cache_control: %w", err)
	}
	if stringValue(control["type"]) != "ephemeral" {
		return errors.New("cache_control: type is not ephemeral")
	}
	if ttl, given := control["ttl"]; given && stringValue(ttl) != "5m" && stringValue(ttl) != "1h" {
		return errors.New("cache_control: ttl is not 5m or 1h")
	}
	v.breakpoints++
	return nil
}
