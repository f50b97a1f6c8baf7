package gemini

import "encoding/json"

// seal is a signature that must be sent back to the model, with what it signs.
type seal struct {
	Signature string `json:"signature"`         // as received
	Thought   bool   `json:"thought,omitempty"` // signs the thinking itself
	Bytes     int    `json:"bytes,omitempty"`   // signs this many bytes of the text that follows
}

func (s seal) encoded() json.RawMessage {
	if len(s.Signature) == 0 {
		return nil
	}
	out, _ := json.Marshal(s) // a string, a bool and an int cannot fail
	return out
}
