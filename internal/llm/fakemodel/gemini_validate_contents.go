package fakemodel

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const (
	geminiUser  = "user"
	geminiModel = "model"

	// geminiUnsigned is the documented placeholder for the signature of a call
	// that another model made. It is sent literally, not in base64.
	geminiUnsigned = "skip_thought_signature_validator"
)

// geminiTalk is the state of the check of the contents.
type geminiTalk struct {
	role string // of the current content
	open []geminiOpenCall

	ids      map[string]bool // of the calls of the current content
	calls    int             // in the current content
	results  int             // in the current content
	hasOther bool            // the current content has a part that is not a result
	unsigned []int           // contents since the user's last text with an unsigned first call
	index    int
}

type geminiOpenCall struct{ id, name string }

func checkGeminiContents(raw json.RawMessage) error {
	contents, err := nonEmptyArray(raw)
	if err != nil {
		return fmt.Errorf("contents: %w", err)
	}
	var g geminiTalk
	for i, raw := range contents {
		g.index = i
		if err := g.content(raw); err != nil {
			return fmt.Errorf("contents[%d]: %w", i, err)
		}
	}
	if g.role != geminiUser {
		return fmt.Errorf("contents[%d]: the last content has role %s", g.index, g.role)
	}
	if len(g.unsigned) > 0 {
		return fmt.Errorf("contents[%d]: the first function call of a step is missing its thought signature", g.unsigned[0])
	}
	return nil
}

func (g *geminiTalk) content(raw json.RawMessage) error {
	content, err := fields(raw, "role", "parts")
	if err != nil {
		return err
	}
	role := stringValue(content["role"])
	switch {
	case role != geminiUser && role != geminiModel:
		return fmt.Errorf("role %q is unknown", role)
	case role == g.role:
		return fmt.Errorf("two contents in a row have role %s", role)
	case g.role == "" && role != geminiUser:
		return errors.New("the first content must have role user")
	}
	g.role, g.ids, g.calls, g.results, g.hasOther = role, map[string]bool{}, 0, 0, false
	waiting := g.open
	if role == geminiModel {
		g.open = nil
	}
	parts, err := nonEmptyArray(content["parts"])
	if err != nil {
		return fmt.Errorf("parts: %w", err)
	}
	for i, raw := range parts {
		if err := g.part(raw); err != nil {
			return fmt.Errorf("parts[%d]: %w", i, err)
		}
	}
	if role == geminiUser && g.results != len(waiting) {
		return fmt.Errorf("there are %d function responses, but %d function calls", g.results, len(waiting))
	}
	return nil
}

func (g *geminiTalk) part(raw json.RawMessage) error {
	part, err := fields(raw, "text", "inlineData", "functionCall", "functionResponse", "thought", "thoughtSignature")
	if err != nil {
		return err
	}
	kind := ""
	for _, k := range []string{"text", "inlineData", "functionCall", "functionResponse"} {
		if _, given := part[k]; given {
			if kind != "" {
				return fmt.Errorf("has both %s and %s", kind, k)
			}
			kind = k
		}
	}
	if g.role == geminiUser && (part["thought"] != nil || part["thoughtSignature"] != nil) {
		return errors.New("user content cannot have thoughts")
	}
	switch {
	case kind == "text":
		return g.checkText(part)
	case kind == "functionCall" && g.role == geminiModel:
		return g.checkCall(part)
	case kind == "functionResponse" && g.role == geminiUser:
		return g.result(part[kind])
	case kind == "inlineData" && g.role == geminiUser:
		g.hasOther = true
		return checkGeminiBlob(part[kind])
	default:
		return fmt.Errorf("%q is not allowed here", kind)
	}
}

// checkText checks a text part. A user's text starts a new turn; only that
// turn's calls must be signed.
func (g *geminiTalk) checkText(part map[string]json.RawMessage) error {
	var words string
	if err := json.Unmarshal(part["text"], &words); err != nil || isNull(part["text"]) {
		return errors.New("text: is not a string")
	}
	signature, signed := part["thoughtSignature"]
	if g.role == geminiUser {
		g.hasOther, g.unsigned = true, nil
		return checkText(part["text"])
	}
	kind := "text"
	if raw, given := part["thought"]; given {
		isThought, err := flag(raw)
		if err != nil || !isThought || !signed {
			return errors.New("thought: must be true and have a signature")
		}
		kind = "thought"
	}
	switch {
	case g.calls > 0:
		return errors.New("text: follows a function call")
	case signed && stringValue(signature) != geminiSignature(kind, words):
		return errors.New("thought signature is not valid")
	case !signed && words == "":
		return errors.New("text: is empty")
	}
	return nil
}

func checkGeminiBlob(raw json.RawMessage) error {
	blob, err := fields(raw, "mimeType", "data")
	if err != nil {
		return fmt.Errorf("inlineData: %w", err)
	}
	if kind := stringValue(blob["mimeType"]); !strings.HasPrefix(kind, "image/") && kind != "application/pdf" {
		return fmt.Errorf("inlineData: mimeType %q is not an image type, nor PDF", kind)
	}
	if data, err := base64.StdEncoding.DecodeString(stringValue(blob["data"])); err != nil || len(data) == 0 {
		return errors.New("inlineData: data is empty or not base64")
	}
	return nil
}
