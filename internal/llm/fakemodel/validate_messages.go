package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// conversation is the state of the check of the messages.
type conversation struct {
	previous string   // role of the previous message, "" at the start
	begun    bool     // a message other than a system message has occurred
	open     []string // ids of the last tool calls without a result
}

func checkMessages(raw json.RawMessage) error {
	messages, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("messages: %w", err)
	}
	var c conversation
	for i, raw := range messages {
		if err := c.checkMessage(raw); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	last := len(messages) - 1
	if len(c.open) > 0 {
		return fmt.Errorf("messages[%d]: the messages end, but tool call %q has no result", last, c.open[0])
	}
	if c.previous != "user" && c.previous != "tool" {
		return fmt.Errorf("messages[%d]: the last message has role %s, not user or tool", last, c.previous)
	}
	return nil
}

func (c *conversation) checkMessage(raw json.RawMessage) error {
	m, err := object(raw)
	if err != nil {
		return err
	}
	role := stringValue(m["role"])
	if len(c.open) > 0 && role != "tool" {
		return fmt.Errorf("role is %q, but tool call %q has no result yet", role, c.open[0])
	}
	switch role {
	case "system", "developer":
		if c.begun {
			return fmt.Errorf("a %s message is only allowed at the start", role)
		}
		err = checkContent(m["content"], false)
	case "user":
		err = checkContent(m["content"], true)
	case "assistant":
		err = c.checkAssistant(m)
	case "tool":
		err = c.checkResult(m)
	default:
		return fmt.Errorf("role %q is unknown", role)
	}
	c.begun = c.begun || (role != "system" && role != "developer")
	c.previous = role
	return err
}

func (c *conversation) checkAssistant(m map[string]json.RawMessage) error {
	if c.previous == "assistant" {
		return errors.New("an assistant message follows another one directly")
	}
	content := m["content"]
	calls, given := m["tool_calls"]
	if !given || isNull(calls) {
		return checkContent(content, false)
	}
	var words string
	if len(content) > 0 && json.Unmarshal(content, &words) != nil { // null and any string are accepted
		if err := checkContent(content, false); err != nil {
			return err
		}
	}
	all, err := nonEmptyArray(calls)
	if err != nil {
		return fmt.Errorf("tool_calls: %w", err)
	}
	for i, raw := range all {
		id, err := checkCall(raw)
		if err == nil && slices.Contains(c.open, id) {
			err = fmt.Errorf("id %q is a duplicate", id)
		}
		if err != nil {
			return fmt.Errorf("tool_calls[%d]: %w", i, err)
		}
		c.open = append(c.open, id)
	}
	return nil
}

func checkCall(raw json.RawMessage) (string, error) {
	call, err := object(raw)
	if err != nil {
		return "", err
	}
	if err := checkText(call["id"]); err != nil {
		return "", fmt.Errorf("id: %w", err)
	}
	_, function, err := checkFunction(call)
	if err != nil {
		return "", err
	}
	if err := checkText(function["arguments"]); err != nil {
		return "", fmt.Errorf("arguments: %w", err)
	}
	// Duplicate keys are the model's fault, not the client's, so a map is
	// sufficient.
	var args map[string]json.RawMessage
	if err := json.Unmarshal([]byte(stringValue(function["arguments"])), &args); err != nil || args == nil {
		return "", fmt.Errorf("arguments are not one json object: %.80q", stringValue(function["arguments"]))
	}
	return stringValue(call["id"]), nil
}

func (c *conversation) checkResult(m map[string]json.RawMessage) error {
	id := stringValue(m["tool_call_id"])
	i := slices.Index(c.open, id)
	if i < 0 {
		return fmt.Errorf("tool_call_id %q does not match a call without a result", id)
	}
	c.open = slices.Delete(c.open, i, i+1)
	return checkContent(m["content"], false)
}

func checkContent(raw json.RawMessage, images bool) error {
	if !strings.HasPrefix(strings.TrimSpace(string(raw)), "[") {
		if err := checkText(raw); err != nil {
			return fmt.Errorf("content: %w", err)
		}
		return nil
	}
	parts, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	for i, raw := range parts {
		if err := checkPart(raw, images); err != nil {
			return fmt.Errorf("content[%d]: %w", i, err)
		}
	}
	return nil
}

func checkPart(raw json.RawMessage, images bool) error {
	part, err := object(raw)
	if err != nil {
		return err
	}
	switch kind := stringValue(part["type"]); {
	case kind == "text":
		return checkText(part["text"])
	case kind == "image_url" && images:
		image, err := object(part["image_url"])
		if err != nil {
			return fmt.Errorf("image_url: %w", err)
		}
		return checkText(image["url"])
	default:
		return fmt.Errorf("part of type %q is not allowed here", kind)
	}
}
