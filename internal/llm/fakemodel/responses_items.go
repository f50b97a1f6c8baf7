package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// responsesMaxCallID is the maximum length of a call id.
const responsesMaxCallID = 64

// responsesTalk is the state of the check of the items.
type responsesTalk struct {
	stored   bool            // store is not false
	previous string          // kind of the previous item, "" at the start; for messages the role
	open     []string        // ids of the last calls without an output
	ids      map[string]bool // of items; they must be unique
}

func responsesCheckInput(raw json.RawMessage, stored bool) error {
	if strings.HasPrefix(strings.TrimSpace(string(raw)), `"`) {
		if err := checkText(raw); err != nil {
			return fmt.Errorf("input: %w", err)
		}
		return nil
	}
	items, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("input: %w", err)
	}
	t := responsesTalk{stored: stored, ids: map[string]bool{}}
	for i, raw := range items {
		if err := t.checkItem(raw); err != nil {
			return fmt.Errorf("input[%d]: %w", i, err)
		}
	}
	last := len(items) - 1
	if len(t.open) > 0 {
		return fmt.Errorf("input[%d]: the input ends, but call %q has no output", last, t.open[0])
	}
	if t.previous != "user" && t.previous != responsesOutput {
		return fmt.Errorf("input[%d]: the last item is %s, not a user message or an output", last, t.previous)
	}
	return nil
}

func (t *responsesTalk) checkItem(raw json.RawMessage) error {
	item, err := object(raw)
	if err != nil {
		return err
	}
	kind := stringValue(item["type"])
	if _, given := item["type"]; !given && len(item["role"]) > 0 {
		kind = responsesMessage // the only type that may be omitted
	}
	if kind == responsesMessage {
		kind = stringValue(item["role"])
	}
	if err := t.place(kind); err != nil {
		return err
	}
	switch kind {
	case "user":
		err = responsesCheckUser(item)
	case "assistant":
		err = responsesCheckAssistant(item)
	case responsesReasoning:
		err = t.checkReasoning(item)
	case responsesCall:
		err = t.checkCall(item)
	case responsesOutput:
		err = t.checkOutput(item)
	default:
		return fmt.Errorf("type %q with role %q is unknown", stringValue(item["type"]), stringValue(item["role"]))
	}
	t.previous = kind
	if err != nil {
		return err
	}
	return t.checkID(item["id"], kind)
}

// place checks whether an item of the kind may follow the previous items.
func (t *responsesTalk) place(kind string) error {
	switch {
	case t.previous == "" && kind != "user":
		return errors.New("the first item must be a user message")
	case t.previous == responsesReasoning && (kind == "user" || kind == responsesOutput):
		return fmt.Errorf("is %s, but the preceding reasoning must be followed by a message or a call", kind)
	case t.previous == "assistant" && kind == "assistant":
		return errors.New("an assistant message follows another one directly")
	case len(t.open) > 0 && kind == responsesCall && t.previous == responsesOutput:
		return fmt.Errorf("a call between outputs, but call %q has no output yet", t.open[0])
	case len(t.open) > 0 && kind != responsesCall && kind != responsesOutput:
		return fmt.Errorf("is %s, but call %q has no output yet", kind, t.open[0])
	}
	return nil
}

// checkID requires ids with the prefix that the API uses for the kind.
func (t *responsesTalk) checkID(raw json.RawMessage, kind string) error {
	prefix, known := map[string]string{responsesReasoning: "rs_", "assistant": "msg_", responsesCall: "fc_"}[kind]
	if len(raw) == 0 && kind != responsesReasoning {
		return nil
	}
	id := stringValue(raw)
	if !known || !strings.HasPrefix(id, prefix) {
		return fmt.Errorf("id %s is not a valid %s id", raw, kind)
	}
	if t.ids[id] {
		return fmt.Errorf("id %q is a duplicate", id)
	}
	t.ids[id] = true
	return nil
}

func (t *responsesTalk) checkReasoning(item map[string]json.RawMessage) error {
	if err := responsesOnlyFields(item, "type", "id", "summary", "encrypted_content"); err != nil {
		return err
	}
	if t.stored {
		return errors.New("reasoning is given back, but store is not false")
	}
	var parts []json.RawMessage
	if raw := item["summary"]; json.Unmarshal(raw, &parts) != nil || isNull(raw) {
		return errors.New("summary: is not an array")
	}
	var thoughts []string
	for i, raw := range parts {
		part, err := object(raw)
		if err == nil {
			err = responsesCheckPart(part, "summary_text", "text")
		}
		if err != nil {
			return fmt.Errorf("summary[%d]: %w", i, err)
		}
		thoughts = append(thoughts, stringValue(part["text"]))
	}
	id := stringValue(item["id"])
	if stringValue(item["encrypted_content"]) != responsesSeal(id, strings.Join(thoughts, "\n\n")) {
		return fmt.Errorf("the encrypted content for item %q could not be verified", id)
	}
	return nil
}

func (t *responsesTalk) checkCall(item map[string]json.RawMessage) error {
	if err := responsesOnlyFields(item, "type", "id", "call_id", "name", "arguments", "status"); err != nil {
		return err
	}
	id, err := responsesCallID(item)
	if err != nil {
		return err
	}
	if slices.Contains(t.open, id) {
		return fmt.Errorf("call_id %q is a duplicate", id)
	}
	if name := stringValue(item["name"]); !toolName.MatchString(name) {
		return fmt.Errorf("name %q does not match %s", name, toolName)
	}
	if err := checkText(item["arguments"]); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal([]byte(stringValue(item["arguments"])), &args); err != nil || args == nil {
		return fmt.Errorf("arguments are not one json object: %.80q", stringValue(item["arguments"]))
	}
	t.open = append(t.open, id)
	return nil
}

func (t *responsesTalk) checkOutput(item map[string]json.RawMessage) error {
	if err := responsesOnlyFields(item, "type", "call_id", "output", "status"); err != nil {
		return err
	}
	id, err := responsesCallID(item)
	if err != nil {
		return err
	}
	i := slices.Index(t.open, id)
	if i < 0 {
		return fmt.Errorf("call_id %q does not match a call without an output", id)
	}
	t.open = slices.Delete(t.open, i, i+1)
	if strings.HasPrefix(strings.TrimSpace(string(item["output"])), "[") {
		return responsesCheckParts(item["output"], "an output")
	}
	if err := checkText(item["output"]); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

func responsesCallID(item map[string]json.RawMessage) (string, error) {
	if err := checkText(item["call_id"]); err != nil {
		return "", fmt.Errorf("call_id: %w", err)
	}
	id := stringValue(item["call_id"])
	if n := utf8.RuneCountInString(id); n > responsesMaxCallID {
		return "", fmt.Errorf("call_id: has %d characters, more than %d", n, responsesMaxCallID)
	}
	return id, nil
}
