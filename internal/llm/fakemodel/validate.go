package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

var toolName = newPattern(`^[a-zA-Z0-9_-]{1,64}$`)

// Validate checks the body of a Chat Completions request more strictly than any
// single provider does, so that a request that passes here passes everywhere.
// The error contains the message's position and the reason.
func Validate(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("request: is not valid utf-8")
	}
	top, err := object(body)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if err := checkText(top["model"]); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if err := checkStream(top); err != nil {
		return err
	}
	if raw, given := top["tools"]; given {
		if err := checkTools(raw); err != nil {
			return err
		}
	}
	return checkMessages(top["messages"])
}

// checkStream rejects stream_options without a stream, as OpenAI does.
func checkStream(top map[string]json.RawMessage) error {
	stream := false
	if raw, given := top["stream"]; given {
		if err := json.Unmarshal(raw, &stream); err != nil || isNull(raw) {
			return errors.New("stream: is not true or false")
		}
	}
	raw, given := top["stream_options"]
	if !given {
		return nil
	}
	if !stream {
		return errors.New("stream_options: only allowed with stream true")
	}
	if _, err := object(raw); err != nil {
		return fmt.Errorf("stream_options: %w", err)
	}
	return nil
}

func checkTools(raw json.RawMessage) error {
	tools, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	seen := map[string]bool{}
	for i, raw := range tools {
		name, err := checkTool(raw)
		if err != nil {
			return fmt.Errorf("tools[%d]: %w", i, err)
		}
		if seen[name] {
			return fmt.Errorf("tools[%d]: name %q is a duplicate", i, name)
		}
		seen[name] = true
	}
	return nil
}

func checkTool(raw json.RawMessage) (string, error) {
	tool, err := object(raw)
	if err != nil {
		return "", err
	}
	name, function, err := checkFunction(tool)
	if err != nil {
		return "", err
	}
	parameters, err := object(function["parameters"])
	if err != nil {
		return "", fmt.Errorf("parameters: %w", err)
	}
	if stringValue(parameters["type"]) != "object" {
		return "", errors.New("parameters: type is not object")
	}
	return name, nil
}

// checkFunction checks the function object, which tools and tool calls have in
// common.
func checkFunction(holder map[string]json.RawMessage) (string, map[string]json.RawMessage, error) {
	if stringValue(holder["type"]) != "function" {
		return "", nil, errors.New("type is not function")
	}
	function, err := object(holder["function"])
	if err != nil {
		return "", nil, fmt.Errorf("function: %w", err)
	}
	name := stringValue(function["name"])
	if !toolName.MatchString(name) {
		return "", nil, fmt.Errorf("function name %q does not match %s", name, toolName)
	}
	return name, function, nil
}

// object decodes a JSON object by its exact keys. encoding/json would accept
// "Messages" for "messages", and silently use the last of duplicate keys.
func object(raw []byte) (map[string]json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, errors.New("is missing")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(raw, &whole); err != nil {
		return nil, fmt.Errorf("is not valid json: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil, errors.New("is not a json object")
	}
	out := map[string]json.RawMessage{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("is not valid json: %w", err)
		}
		key, _ := token.(string)
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("key %q is a duplicate", key)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("is not valid json: %w", err)
		}
		out[key] = value
	}
	return out, nil
}

// nonEmptyArray decodes an array that must not be empty.
func nonEmptyArray(raw json.RawMessage) ([]json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, errors.New("is missing")
	}
	var out []json.RawMessage
	if err := json.Unmarshal(raw, &out); err != nil || isNull(raw) {
		return nil, errors.New("is not an array")
	}
	if len(out) == 0 {
		return nil, errors.New("is empty")
	}
	return out, nil
}

// stringValue returns the value of a JSON string, or "" for anything else.
func stringValue(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func checkText(raw json.RawMessage) error {
	var s string
	switch {
	case len(raw) == 0 || isNull(raw):
		return errors.New("is missing")
	case json.Unmarshal(raw, &s) != nil:
		return errors.New("is not a string")
	case strings.TrimSpace(s) == "":
		return errors.New("is empty")
	}
	return nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }
