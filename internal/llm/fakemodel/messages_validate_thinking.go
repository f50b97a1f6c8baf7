package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const minThinkingBudget = 1024

// checkThinking checks the thinking configuration, and max_tokens, which limits
// the budget.
func (v *messagesCheck) checkThinking(top map[string]json.RawMessage) error {
	limit, err := wholeNumber(top["max_tokens"])
	if err == nil && limit < 1 {
		err = errors.New("is not above 0")
	}
	if err != nil {
		return fmt.Errorf("max_tokens: %w", err)
	}
	raw, given := top["thinking"]
	if !given {
		return nil
	}
	config, err := object(raw)
	if err == nil {
		v.thinking = stringValue(config["type"])
		err = checkThinkingConfig(v.thinking, config, limit)
	}
	if err != nil {
		return fmt.Errorf("thinking: %w", err)
	}
	for _, key := range []string{"temperature", "top_k"} {
		if _, given := top[key]; given && v.thinking != "disabled" {
			return fmt.Errorf("%s: may not be set when thinking is enabled", key)
		}
	}
	return nil
}

func checkThinkingConfig(kind string, config map[string]json.RawMessage, limit int64) error {
	if display, given := config["display"]; given && !slices.Contains([]string{"summarized", "omitted"}, stringValue(display)) {
		return errors.New("display: is not summarized or omitted")
	}
	switch kind {
	case "disabled":
		return onlyFields(config, "type")
	case "adaptive":
		return onlyFields(config, "type", "display")
	case "enabled":
	default:
		return fmt.Errorf("type %q is unknown", kind)
	}
	if err := onlyFields(config, "type", "budget_tokens", "display"); err != nil {
		return err
	}
	budget, err := wholeNumber(config["budget_tokens"])
	switch {
	case err != nil:
		return fmt.Errorf("budget_tokens: %w", err)
	case budget < minThinkingBudget:
		return fmt.Errorf("budget_tokens: is below %d", minThinkingBudget)
	case budget >= limit:
		return errors.New("budget_tokens: is not below max_tokens")
	}
	return nil
}

// redactedPrefix starts the data of redacted thinking that the fake model
// accepts. The hidden text, a colon and its signature follow.
const redactedPrefix = "redacted:"

func checkThinkingBlock(kind string, block map[string]json.RawMessage) error {
	if kind == "redacted_thinking" {
		if err := onlyFields(block, "type", "data"); err != nil {
			return err
		}
		hidden, seal, _ := strings.Cut(strings.TrimPrefix(stringValue(block["data"]), redactedPrefix), ":")
		if !strings.HasPrefix(stringValue(block["data"]), redactedPrefix) || seal != signature(hidden) {
			return errors.New("invalid data in redacted_thinking block")
		}
		return nil
	}
	if err := onlyFields(block, "type", "thinking", "signature"); err != nil {
		return err
	}
	var thinking string
	if raw := block["thinking"]; len(raw) == 0 || isNull(raw) || json.Unmarshal(raw, &thinking) != nil {
		return errors.New("thinking: is not a string")
	}
	if stringValue(block["signature"]) != signature(thinking) {
		return errors.New("invalid signature in thinking block")
	}
	return nil
}

func isThinking(kind string) bool { return kind == "thinking" || kind == "redacted_thinking" }

// checkTurn checks that the turn of the last results uses one thinking mode.
// The turn consists of all answers since the user's last text. With a budget it
// must begin with thinking; with thinking disabled it must not contain any.
func (v *messagesCheck) checkTurn(map[string]json.RawMessage) error {
	last := len(v.messages) - 2
	if last < 0 || !slices.Contains(v.messages[last].kinds, "tool_use") {
		return nil
	}
	first := last
	for first >= 2 && v.messages[first-1].onlyResults() {
		first -= 2
	}
	if kind := v.messages[first].kinds[0]; v.thinking == "enabled" && !isThinking(kind) {
		return fmt.Errorf("messages[%d]: content: [0]: expected thinking or redacted_thinking, but found %s", first, kind)
	}
	for i := first; i <= last && v.thinking == "disabled"; i += 2 {
		if slices.ContainsFunc(v.messages[i].kinds, isThinking) {
			return fmt.Errorf("messages[%d]: content: contains thinking, but thinking is disabled", i)
		}
	}
	return nil
}

func (s messageParts) onlyResults() bool {
	return !slices.ContainsFunc(s.kinds, func(kind string) bool { return kind != "tool_result" })
}

// checkOutputConfig checks how much effort the request asks for.
func checkOutputConfig(top map[string]json.RawMessage) error {
	raw, given := top["output_config"]
	if !given {
		return nil
	}
	config, err := object(raw)
	if err != nil {
		return fmt.Errorf("output_config: %w", err)
	}
	effort, given := config["effort"]
	if efforts := []string{"low", "medium", "high", "xhigh", "max"}; given && !slices.Contains(efforts, stringValue(effort)) {
		return fmt.Errorf("output_config: effort is %s, not one of %s", effort, strings.Join(efforts, ", "))
	}
	return nil
}
