package acp

import "encoding/json"

// Members is a JSON object whose members are kept as they are, also those that
// the protocol does not define.
type Members map[string]json.RawMessage

// MembersOf returns the members of an object. Anything else has none.
func MembersOf(data json.RawMessage) Members {
	var m Members
	if json.Unmarshal(data, &m) != nil || m == nil {
		return Members{}
	}
	return m
}

// Encode returns a value as JSON, or null if it has no JSON form: values of the
// protocol, which consist of strings, numbers, lists and valid JSON, have one.
func Encode(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("null")
	}
	return data
}

// Set sets a member. A value that has no JSON form leaves the object as it is.
func (m Members) Set(name string, value any) {
	if data, err := json.Marshal(value); err == nil {
		m[name] = data
	}
}

// Without removes members and returns the object.
func (m Members) Without(names ...string) Members {
	for _, name := range names {
		delete(m, name)
	}
	return m
}

// JSON returns the object as JSON, or nil if it has no members.
func (m Members) JSON() json.RawMessage {
	if len(m) == 0 {
		return nil
	}
	data, err := json.Marshal(map[string]json.RawMessage(m))
	if err != nil { // a member is not JSON
		return nil
	}
	return data
}
