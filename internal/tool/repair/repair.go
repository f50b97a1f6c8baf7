// Package repair rewrites tool calls with common mistakes of models as the
// calls that the models mean. It uses closed tables only: a name, key or value
// that is in no table stays as it is, and the tool refuses it. A repaired call
// replaces the original before anything is decided, asked or logged, so a
// mistake cannot bypass a permission rule.
package repair

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// member is one member of a JSON object. A slice of members keeps their order.
type member struct {
	key   string
	value json.RawMessage
}

// Object returns args as one complete JSON object. It removes commas before a
// closing bracket. Arguments that are incomplete are an error: the missing part
// is unknown.
func Object(args string) (json.RawMessage, error) {
	err := checkObject(args)
	if err == nil {
		return json.RawMessage(args), nil
	}
	if fixed := withoutTrailingCommas(args); fixed != args && checkObject(fixed) == nil {
		return json.RawMessage(fixed), nil
	}
	return nil, err
}

func checkObject(args string) error {
	d := json.NewDecoder(strings.NewReader(args))
	var object map[string]json.RawMessage
	if err := d.Decode(&object); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || object == nil {
		return errors.New("not exactly one object")
	}
	return nil
}

// withoutTrailingCommas removes each comma that only whitespace separates from
// a closing bracket, outside of strings.
func withoutTrailingCommas(args string) string {
	var out strings.Builder
	inString := false
	for i := 0; i < len(args); i++ {
		c := args[i]
		switch {
		case inString && c == '\\' && i+1 < len(args):
			out.WriteByte(c)
			i++
			c = args[i]
		case c == '"':
			inString = !inString
		case c == ',' && !inString:
			if rest := strings.TrimLeft(args[i+1:], " \t\r\n"); rest != "" && (rest[0] == '}' || rest[0] == ']') {
				continue
			}
		}
		out.WriteByte(c)
	}
	return out.String()
}

// Arguments returns the arguments of a built-in tool with the keys and types of
// its schema. Arguments that need no repair are returned unchanged, byte for
// byte. Two keys for the same argument with different values are an error.
func Arguments(tool string, schema, args json.RawMessage) (json.RawMessage, error) {
	table, known := fields[tool]
	if !known {
		return args, nil
	}
	var s shape
	if err := json.Unmarshal(schema, &s); err != nil {
		return args, nil //nolint:nilerr // a tool without a readable schema gets its arguments as written
	}
	before, err := members(args)
	if err != nil {
		return args, nil //nolint:nilerr // the tool's own check reports it
	}
	after, err := repairObject(before, s, table)
	if err != nil {
		return nil, err
	}
	if slices.EqualFunc(before, after, func(a, b member) bool { return a.key == b.key && bytes.Equal(a.value, b.value) }) {
		return args, nil
	}
	return object(after), nil
}

// repairObject renames and converts the members of one object.
func repairObject(all []member, s shape, table map[string]string) ([]member, error) {
	var out []member
	written := map[string]string{} // the key that the model wrote for each argument
	for _, m := range all {
		key, used := keyOf(m.key, s, table)
		if !used {
			continue
		}
		property := s.Properties[key]
		value, present := convert(key, property, m.value, all)
		if !present {
			continue
		}
		if property.Type == "array" && property.Items != nil && len(property.Items.Properties) > 0 {
			repaired, err := repairItems(value, *property.Items, table)
			if err != nil {
				return nil, err
			}
			value = repaired
		}
		if i := slices.IndexFunc(out, func(o member) bool { return o.key == key }); i >= 0 {
			if !equal(out[i].value, value) {
				return nil, fmt.Errorf("arguments: %q and %q mean the same argument but have different values; send only %q", written[key], m.key, key)
			}
			continue
		}
		written[key] = m.key
		out = append(out, member{key, value})
	}
	return out, nil
}

// repairItems repairs the objects in a list. A list with anything else in it is
// returned unchanged.
func repairItems(list json.RawMessage, s shape, table map[string]string) (json.RawMessage, error) {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return list, nil
	}
	changed := false
	for i, item := range items {
		before, err := members(item)
		if err != nil {
			return list, nil //nolint:nilerr // the tool's own check reports it
		}
		after, err := repairObject(before, s, table)
		if err != nil {
			return nil, err
		}
		if !slices.EqualFunc(before, after, func(a, b member) bool { return a.key == b.key && bytes.Equal(a.value, b.value) }) {
			items[i], changed = object(after), true
		}
	}
	if !changed {
		return list, nil
	}
	return marshal(items), nil
}

// members returns the members of a JSON object in order. A key that occurs
// twice is an error.
func members(args json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(args))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var all []member
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{}
		m.key, _ = token.(string)
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(o member) bool { return o.key == m.key }) {
			return nil, fmt.Errorf("duplicate field %q", m.key)
		}
		all = append(all, m)
	}
	return all, nil
}

func object(all []member) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range all {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(marshal(m.key))
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// marshal encodes a value without escaping <, > and &.
func marshal(v any) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // cannot happen with strings and valid JSON
		return json.RawMessage(`null`)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// equal reports whether two JSON values are the same, however they are written.
func equal(a, b json.RawMessage) bool {
	return bytes.Equal(canonical(a), canonical(b))
}

// canonical decodes and encodes a value, so that escapes, blanks and the order
// of keys do not matter.
func canonical(value json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return value
	}
	return marshal(v)
}
