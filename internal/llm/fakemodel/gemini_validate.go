package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// geminiName matches the tool names that both of Google's services accept, with
// the shorter of their documented length limits.
var geminiName = newPattern(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)

// ValidateGemini checks the body of a generateContent request at least as
// strictly as Gemini 3 does. It rejects unknown fields, roles that do not
// alternate, and calls without matching results. Every signature must be the
// one that the fake model issued for that part, or the documented placeholder.
func ValidateGemini(body []byte) error {
	if !utf8.Valid(body) {
		return errors.New("request: is not valid utf-8")
	}
	top, err := fields(body, "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent")
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if raw, given := top["systemInstruction"]; given {
		if err := checkGeminiSystem(raw); err != nil {
			return fmt.Errorf("systemInstruction: %w", err)
		}
	}
	if raw, given := top["generationConfig"]; given {
		if err := checkGeminiConfig(raw); err != nil {
			return fmt.Errorf("generationConfig: %w", err)
		}
	}
	if raw, given := top["tools"]; given {
		if err := checkGeminiTools(raw); err != nil {
			return err
		}
	}
	return checkGeminiContents(top["contents"])
}

// fields decodes an object and rejects keys other than the given ones.
func fields(raw []byte, known ...string) (map[string]json.RawMessage, error) {
	out, err := object(raw)
	if err != nil {
		return nil, err
	}
	var unknown []string
	for key := range out {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, fmt.Errorf("field %q is unknown", strings.Join(unknown, `", "`))
	}
	return out, nil
}

func checkGeminiSystem(raw json.RawMessage) error {
	content, err := fields(raw, "parts", "role")
	if err != nil {
		return err
	}
	parts, err := nonEmptyArray(content["parts"])
	if err != nil {
		return fmt.Errorf("parts: %w", err)
	}
	for i, raw := range parts {
		part, err := fields(raw, "text")
		if err == nil {
			err = checkText(part["text"])
		}
		if err != nil {
			return fmt.Errorf("parts[%d]: %w", i, err)
		}
	}
	return nil
}

func checkGeminiConfig(raw json.RawMessage) error {
	config, err := fields(raw, "thinkingConfig", "temperature", "topP", "topK", "maxOutputTokens", "stopSequences", "candidateCount", "seed")
	if err != nil {
		return err
	}
	raw, given := config["thinkingConfig"]
	if !given {
		return nil
	}
	thinking, err := fields(raw, "includeThoughts", "thinkingBudget", "thinkingLevel")
	if err != nil {
		return fmt.Errorf("thinkingConfig: %w", err)
	}
	if raw, given := thinking["includeThoughts"]; given {
		if _, err := flag(raw); err != nil {
			return fmt.Errorf("thinkingConfig: includeThoughts: %w", err)
		}
	}
	if raw, given := thinking["thinkingBudget"]; given {
		var budget int32
		if err := json.Unmarshal(raw, &budget); err != nil || isNull(raw) || budget < -1 {
			return errors.New("thinkingConfig: thinkingBudget: is not a number of tokens")
		}
		if _, both := thinking["thinkingLevel"]; both {
			return errors.New("thinkingConfig: thinkingBudget and thinkingLevel are mutually exclusive")
		}
	}
	return nil
}

func flag(raw json.RawMessage) (bool, error) {
	var set bool
	if err := json.Unmarshal(raw, &set); err != nil || isNull(raw) {
		return false, errors.New("is not true or false")
	}
	return set, nil
}

func checkGeminiTools(raw json.RawMessage) error {
	tools, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	seen := map[string]bool{}
	for i, raw := range tools {
		tool, err := fields(raw, "functionDeclarations")
		if err != nil {
			return fmt.Errorf("tools[%d]: %w", i, err)
		}
		all, err := nonEmptyArray(tool["functionDeclarations"])
		if err != nil {
			return fmt.Errorf("tools[%d]: functionDeclarations: %w", i, err)
		}
		for j, raw := range all {
			name, err := checkGeminiFunction(raw)
			if err == nil && seen[name] {
				err = fmt.Errorf("name %q is a duplicate", name)
			}
			if err != nil {
				return fmt.Errorf("tools[%d]: functionDeclarations[%d]: %w", i, j, err)
			}
			seen[name] = true
		}
	}
	return nil
}

// checkGeminiFunction requires a description, because the API's reference does.
func checkGeminiFunction(raw json.RawMessage) (string, error) {
	function, err := fields(raw, "name", "description", "parametersJsonSchema")
	if err != nil {
		return "", err
	}
	name := stringValue(function["name"])
	if !geminiName.MatchString(name) {
		return "", fmt.Errorf("name %q does not match %s", name, geminiName)
	}
	if err := checkText(function["description"]); err != nil {
		return "", fmt.Errorf("description: %w", err)
	}
	parameters, err := object(function["parametersJsonSchema"])
	if err != nil {
		return "", fmt.Errorf("parametersJsonSchema: %w", err)
	}
	if stringValue(parameters["type"]) != "object" {
		return "", errors.New("parametersJsonSchema: type is not object")
	}
	return name, nil
}
