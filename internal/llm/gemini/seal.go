package gemini

import "encoding/json"

// seal is what a model wants to see again: its signature, and on what it stood.
type seal struct {
	Signature string `json:"signature"`         // as it was sent
	Thought   bool   `json:"thought,omitempty"` // on the thinking itself
	Bytes     int    `json:"bytes,omitempty"`   // on so much of the text that follows
}

func (s seal) encoded() json.RawMessage {
	if len(s.Signature) == 0 {
		return nil
	}
	out, _ := json.Marshal(s) // a text, a flag and a number: there is no error
	return out
}
