package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// responsesMaxTools is the maximum number of tools in a request.
const responsesMaxTools = 128

// responsesSealed is the include value that a request needs to get reasoning
// that can be sent back.
const responsesSealed = "reasoning.encrypted_content"

// ValidateResponses checks the body of a request to OpenAI's Responses API at
// least as strictly as the API does. It is for clients that keep the
// conversation themselves: a request must not refer to anything stored on the
// server. The error contains the item and the reason.
func ValidateResponses(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("request: is not valid utf-8")
	}
	top, err := object(body)
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if err := responsesFields(top); err != nil {
		return err
	}
	if raw, given := top["tools"]; given {
		if err := responsesTools(raw); err != nil {
			return err
		}
	}
	stored := true // OpenAI's default
	if raw, given := top["store"]; given {
		_ = json.Unmarshal(raw, &stored)
	}
	return responsesCheckInput(top["input"], stored)
}

// responsesFields checks everything except items and tools.
func responsesFields(top map[string]json.RawMessage) error {
	err := responsesOnlyFields(top, "model", "input", "instructions", "stream", "store", "include", "tools", "tool_choice", "reasoning",
		"parallel_tool_calls", "max_output_tokens", "temperature", "top_p", "text", "truncation", "metadata", "service_tier",
		"prompt_cache_key", "prompt_cache_retention", "safety_identifier", "stream_options")
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if err := checkText(top["model"]); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if raw, given := top["instructions"]; given {
		if err := checkText(raw); err != nil {
			return fmt.Errorf("instructions: %w", err)
		}
	}
	for _, name := range []string{"stream", "store", "parallel_tool_calls"} {
		var is bool
		if raw, given := top[name]; given && (json.Unmarshal(raw, &is) != nil || isNull(raw)) {
			return fmt.Errorf("%s: is not true or false", name)
		}
	}
	if raw, given := top["max_output_tokens"]; given {
		var n int
		if json.Unmarshal(raw, &n) != nil || n < 16 {
			return errors.New("max_output_tokens: is not a number of at least 16")
		}
	}
	if err := responsesInclude(top["include"]); err != nil {
		return fmt.Errorf("include: %w", err)
	}
	return responsesEffort(top["reasoning"])
}

// responsesOnlyFields rejects fields that the API does not have.
func responsesOnlyFields(holder map[string]json.RawMessage, names ...string) error {
	var unknown []string
	for name := range holder {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("field %q is unknown", slices.Min(unknown))
	}
	return nil
}

func responsesInclude(raw json.RawMessage) error {
	names, err := nonEmptyArray(raw)
	if err != nil {
		return err
	}
	included := false
	for _, raw := range names {
		if stringValue(raw) != responsesSealed {
			return fmt.Errorf("%s is unknown", raw)
		}
		included = true
	}
	if !included {
		return fmt.Errorf("does not contain %s", responsesSealed)
	}
	return nil
}

func responsesEffort(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	reasoning, err := object(raw)
	if err == nil {
		err = responsesOnlyFields(reasoning, "effort", "summary")
	}
	if err != nil {
		return fmt.Errorf("reasoning: %w", err)
	}
	for name, values := range map[string][]string{
		"effort":  {"none", "minimal", "low", "medium", "high", "xhigh"},
		"summary": {"auto", "concise", "detailed"},
	} {
		if raw, given := reasoning[name]; given && !slices.Contains(values, stringValue(raw)) {
			return fmt.Errorf("reasoning: %s is %s, not one of %s", name, raw, strings.Join(values, ", "))
		}
	}
	return nil
}

func responsesTools(raw json.RawMessage) error {
	tools, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	if len(tools) > responsesMaxTools {
		return fmt.Errorf("tools: has %d, more than %d", len(tools), responsesMaxTools)
	}
	seen := map[string]bool{}
	for i, raw := range tools {
		name, err := responsesTool(raw)
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

// responsesTool rejects strict schemas: they have additional rules, which
// third-party tools do not follow.
func responsesTool(raw json.RawMessage) (string, error) {
	tool, err := object(raw)
	if err != nil {
		return "", err
	}
	if err := responsesOnlyFields(tool, "type", "name", "description", "parameters", "strict"); err != nil {
		return "", err
	}
	if stringValue(tool["type"]) != "function" {
		return "", errors.New("type is not function")
	}
	name := stringValue(tool["name"])
	if !toolName.MatchString(name) {
		return "", fmt.Errorf("name %q does not match %s", name, toolName)
	}
	if raw, given := tool["description"]; given {
		if err := checkText(raw); err != nil {
			return "", fmt.Errorf("description: %w", err)
		}
	}
	if string(tool["strict"]) != "false" {
		return "", errors.New("strict: is not false")
	}
	return name, responsesSchema(tool["parameters"])
}

func responsesSchema(raw json.RawMessage) error {
	parameters, err := object(raw)
	if err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	if stringValue(parameters["type"]) != "object" {
		return errors.New("parameters: type is not object")
	}
	if raw, given := parameters["properties"]; given {
		if _, err := object(raw); err != nil {
			return fmt.Errorf("parameters: properties: %w", err)
		}
	}
	return nil
}
