package fakemodel

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

func (v *messagesCheck) checkMessages(top map[string]json.RawMessage) error {
	messages, err := nonEmptyArray(top["messages"])
	if err != nil {
		return fmt.Errorf("messages: %w", err)
	}
	for i, raw := range messages {
		if err := v.checkMessage(raw); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	if last := len(messages) - 1; v.messages[last].role != "user" {
		return fmt.Errorf("messages[%d]: the last message has role assistant, not user", last)
	}
	return nil
}

func (v *messagesCheck) checkMessage(raw json.RawMessage) error {
	m, err := object(raw)
	if err != nil {
		return err
	}
	if err := onlyFields(m, "role", "content"); err != nil {
		return err
	}
	role, expected := stringValue(m["role"]), "user"
	if len(v.messages)%2 == 1 {
		expected = "assistant"
	}
	if role != expected {
		return fmt.Errorf("role is %q, expected %s", role, expected)
	}
	v.messages = append(v.messages, messageParts{role: role})
	if !strings.HasPrefix(strings.TrimSpace(string(m["content"])), "[") {
		err = checkText(m["content"])
		v.noted("text")
	} else {
		err = v.checkBlocks(role, m["content"])
	}
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	if role == "user" && len(v.open) > 0 {
		return fmt.Errorf("tool_use ids were found without tool_result blocks immediately after: %s", strings.Join(v.open, ", "))
	}
	if kinds := v.messages[len(v.messages)-1].kinds; role == "assistant" && isThinking(kinds[len(kinds)-1]) {
		return errors.New("the final block in an assistant message cannot be thinking")
	}
	return nil
}

func (v *messagesCheck) noted(kind string) {
	last := &v.messages[len(v.messages)-1]
	last.kinds = append(last.kinds, kind)
}

func (v *messagesCheck) checkBlocks(role string, raw json.RawMessage) error {
	blocks, err := nonEmptyArray(raw)
	if err != nil {
		return err
	}
	allowed := []string{"text", "image", "document", "tool_result"}
	if role == "assistant" {
		allowed = []string{"text", "thinking", "redacted_thinking", "tool_use"}
	}
	for i, raw := range blocks {
		block, err := object(raw)
		if err == nil {
			err = v.checkBlock(block, allowed...)
		}
		if err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
		v.noted(stringValue(block["type"]))
	}
	return nil
}

func (v *messagesCheck) checkBlock(block map[string]json.RawMessage, allowed ...string) error {
	kind := stringValue(block["type"])
	if !slices.Contains(allowed, kind) {
		return fmt.Errorf("block of type %q is not allowed here", kind)
	}
	var err error
	switch kind {
	case "text":
		err = checkTextBlock(block)
	case "image":
		err = checkSourceBlock(block, "image/jpeg", "image/png", "image/gif", "image/webp")
	case "document":
		err = checkSourceBlock(block, "application/pdf")
	case "tool_use":
		err = v.checkToolUse(block)
	case "tool_result":
		err = v.checkToolResult(block)
	default:
		return checkThinkingBlock(kind, block) // has no cache_control
	}
	if err != nil {
		return err
	}
	return v.checkCache(block)
}

func checkTextBlock(block map[string]json.RawMessage) error {
	if err := onlyFields(block, "type", "text", "cache_control"); err != nil {
		return err
	}
	if err := checkText(block["text"]); err != nil {
		return fmt.Errorf("text: %w", err)
	}
	return nil
}

// checkSourceBlock checks an image or a document, of one of the media types.
func checkSourceBlock(block map[string]json.RawMessage, allowed ...string) error {
	if err := onlyFields(block, "type", "source", "cache_control"); err != nil {
		return err
	}
	source, err := object(block["source"])
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if err := onlyFields(source, "type", "media_type", "data"); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if kind := stringValue(source["type"]); kind != "base64" {
		return fmt.Errorf("source: type %q is not base64", kind)
	}
	if kind := stringValue(source["media_type"]); !slices.Contains(allowed, kind) {
		return fmt.Errorf("source: media_type %q is not supported here", kind)
	}
	data, err := base64.StdEncoding.DecodeString(stringValue(source["data"]))
	if err != nil || len(data) == 0 {
		return errors.New("source: data is empty or not base64")
	}
	return nil
}

func (v *messagesCheck) checkToolUse(block map[string]json.RawMessage) error {
	if err := onlyFields(block, "type", "id", "name", "input", "cache_control"); err != nil {
		return err
	}
	id, name := stringValue(block["id"]), stringValue(block["name"])
	switch {
	case !messagesCallID.MatchString(id):
		return fmt.Errorf("id %q does not match %s", id, messagesCallID)
	case v.ids[id]:
		return fmt.Errorf("id %q is a duplicate", id)
	case !messagesToolName.MatchString(name):
		return fmt.Errorf("name %q does not match %s", name, messagesToolName)
	}
	// Duplicate keys are the model's fault, not the client's, so a map is
	// sufficient.
	var input map[string]json.RawMessage
	if err := json.Unmarshal(block["input"], &input); err != nil || input == nil {
		return fmt.Errorf("input is not a json object: %.80q", block["input"])
	}
	v.ids[id] = true
	v.open = append(v.open, id)
	return nil
}

// checkToolResult requires the results to come first in their message.
func (v *messagesCheck) checkToolResult(block map[string]json.RawMessage) error {
	if err := onlyFields(block, "type", "tool_use_id", "content", "is_error", "cache_control"); err != nil {
		return err
	}
	for _, kind := range v.messages[len(v.messages)-1].kinds {
		if kind != "tool_result" {
			return fmt.Errorf("a tool_result comes after a block of type %s", kind)
		}
	}
	id := stringValue(block["tool_use_id"])
	i := slices.Index(v.open, id)
	if i < 0 {
		return fmt.Errorf("tool_use_id %q does not match a call in the previous message", id)
	}
	v.open = slices.Delete(v.open, i, i+1)
	var failed bool
	if raw, given := block["is_error"]; given && (isNull(raw) || json.Unmarshal(raw, &failed) != nil) {
		return errors.New("is_error: is not true or false")
	}
	if strings.HasPrefix(strings.TrimSpace(string(block["content"])), "[") {
		return v.checkResultBlocks(block["content"])
	}
	if err := checkText(block["content"]); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	return nil
}

func (v *messagesCheck) checkResultBlocks(raw json.RawMessage) error {
	blocks, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("content: %w", err)
	}
	for i, raw := range blocks {
		block, err := object(raw)
		if err == nil {
			err = v.checkBlock(block, "text", "image", "document")
		}
		if err != nil {
			return fmt.Errorf("content[%d]: %w", i, err)
		}
	}
	return nil
}
