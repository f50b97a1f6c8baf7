package fakemodel

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

func responsesCheckUser(item map[string]json.RawMessage) error {
	if err := responsesOnlyFields(item, "type", "role", "content"); err != nil {
		return err
	}
	return responsesCheckParts(item["content"], "a user")
}

// responsesCheckParts checks text, images and files.
func responsesCheckParts(content json.RawMessage, of string) error {
	return responsesCheckContent(content, func(kind string, part map[string]json.RawMessage) error {
		switch kind {
		case "input_text":
			return responsesCheckPart(part, kind, "text")
		case "input_image":
			return responsesCheckImage(part)
		case "input_file":
			return responsesCheckFile(part)
		}
		return fmt.Errorf("part of type %q is not allowed for %s", kind, of)
	})
}

// responsesCheckFile accepts only PDF documents that are embedded in the request.
func responsesCheckFile(part map[string]json.RawMessage) error {
	if err := responsesOnlyFields(part, "type", "filename", "file_data"); err != nil {
		return err
	}
	if err := checkText(part["filename"]); err != nil {
		return fmt.Errorf("filename: %w", err)
	}
	data, is := strings.CutPrefix(stringValue(part["file_data"]), "data:application/pdf;base64,")
	if decoded, err := base64.StdEncoding.DecodeString(data); !is || err != nil || len(decoded) == 0 {
		return errors.New("file_data: is not a data url of a PDF")
	}
	return nil
}

func responsesCheckAssistant(item map[string]json.RawMessage) error {
	if err := responsesOnlyFields(item, "type", "id", "role", "content", "status"); err != nil {
		return err
	}
	return responsesCheckContent(item["content"], func(kind string, part map[string]json.RawMessage) error {
		switch kind {
		case "output_text":
			return responsesCheckPart(part, kind, "text", "annotations")
		case "refusal":
			return responsesCheckPart(part, kind, "refusal")
		}
		return fmt.Errorf("part of type %q is not allowed for an assistant", kind)
	})
}

func responsesCheckContent(raw json.RawMessage, check func(kind string, part map[string]json.RawMessage) error) error {
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
		part, err := object(raw)
		if err == nil {
			err = check(stringValue(part["type"]), part)
		}
		if err != nil {
			return fmt.Errorf("content[%d]: %w", i, err)
		}
	}
	return nil
}

// responsesCheckPart requires a part of the given kind with text in the given
// field.
func responsesCheckPart(part map[string]json.RawMessage, kind, field string, more ...string) error {
	if stringValue(part["type"]) != kind {
		return fmt.Errorf("type is not %s", kind)
	}
	if err := responsesOnlyFields(part, append(more, "type", field)...); err != nil {
		return err
	}
	if err := checkText(part[field]); err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return nil
}

// responsesCheckImage accepts only images that are embedded in the request.
func responsesCheckImage(part map[string]json.RawMessage) error {
	if err := responsesOnlyFields(part, "type", "image_url", "detail"); err != nil {
		return err
	}
	if err := checkText(part["image_url"]); err != nil {
		return fmt.Errorf("image_url: %w", err)
	}
	if raw, given := part["detail"]; given && !slices.Contains([]string{"auto", "low", "high", "original"}, stringValue(raw)) {
		return fmt.Errorf("detail: %s is unknown", raw)
	}
	kind, data, encoded := strings.Cut(stringValue(part["image_url"]), ";base64,")
	if !encoded || !slices.Contains([]string{"data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp"}, kind) {
		return errors.New("image_url: is not a data url of a png, jpeg, gif or webp image")
	}
	if decoded, err := base64.StdEncoding.DecodeString(data); err != nil || len(decoded) == 0 {
		return errors.New("image_url: has no valid base64 data")
	}
	return nil
}
