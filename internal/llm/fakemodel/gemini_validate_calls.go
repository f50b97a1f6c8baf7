package fakemodel

import (
	"encoding/json"
	"errors"
	"fmt"
)

func (g *geminiTalk) checkCall(part map[string]json.RawMessage) error {
	call, err := fields(part["functionCall"], "id", "name", "args")
	if err != nil {
		return fmt.Errorf("functionCall: %w", err)
	}
	id, err := g.id(call)
	if err != nil {
		return fmt.Errorf("functionCall: %w", err)
	}
	name := stringValue(call["name"])
	if !geminiName.MatchString(name) {
		return fmt.Errorf("functionCall: name %q does not match %s", name, geminiName)
	}
	var args map[string]json.RawMessage // duplicate keys are the model's fault
	if err := json.Unmarshal(call["args"], &args); err != nil || args == nil {
		return errors.New("functionCall: args are not an object")
	}
	if part["thought"] != nil {
		return errors.New("functionCall: must not be marked as thought")
	}
	signature, signed := part["thoughtSignature"]
	if word := stringValue(signature); signed && word != geminiUnsigned && word != geminiCallSignature(name, call["args"]) {
		return errors.New("thought signature is not valid")
	}
	if g.calls == 0 && !signed {
		g.unsigned = append(g.unsigned, g.index)
	}
	g.calls++
	g.open = append(g.open, geminiOpenCall{id, name})
	return nil
}

// id returns the id, which both a call and its result may omit.
func (g *geminiTalk) id(call map[string]json.RawMessage) (string, error) {
	raw, given := call["id"]
	if !given {
		return "", nil
	}
	if err := checkText(raw); err != nil {
		return "", fmt.Errorf("id: %w", err)
	}
	id := stringValue(raw)
	if g.ids[id] {
		return "", fmt.Errorf("id %q is a duplicate", id)
	}
	g.ids[id] = true
	return id, nil
}

// result requires the results in the order of their calls, before other parts
// of the user's content.
func (g *geminiTalk) result(raw json.RawMessage) error {
	result, err := fields(raw, "id", "name", "response")
	if err != nil {
		return fmt.Errorf("functionResponse: %w", err)
	}
	id, err := g.id(result)
	switch {
	case err != nil:
		return fmt.Errorf("functionResponse: %w", err)
	case g.hasOther:
		return errors.New("functionResponse: comes after other parts")
	case len(g.open) == 0:
		return errors.New("functionResponse: does not match a function call in the previous content")
	}
	call := g.open[0]
	g.open = g.open[1:]
	g.results++
	if name := stringValue(result["name"]); name != call.name || id != call.id {
		return fmt.Errorf("functionResponse: is %q of %q, but the call is %q of %q", id, name, call.id, call.name)
	}
	response, err := fields(result["response"], "output", "error")
	if err != nil {
		return fmt.Errorf("functionResponse: response: %w", err)
	}
	if len(response) != 1 {
		return errors.New("functionResponse: response: must be either output or error")
	}
	for key, raw := range response {
		if err := checkText(raw); err != nil {
			return fmt.Errorf("functionResponse: response: %s: %w", key, err)
		}
	}
	return nil
}
